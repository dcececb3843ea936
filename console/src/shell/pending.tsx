import pageStyles from '../ui/page.module.css';
import { Skeleton } from '../ui/skeleton.tsx';

/** Shown only when an area takes long to load. */
export function Pending() {
  return (
    <div className={pageStyles.page}>
      <Skeleton lines={6} label="Loading page" />
    </div>
  );
}
