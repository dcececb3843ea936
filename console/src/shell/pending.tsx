import { Skeleton } from '../ui/skeleton.tsx';

/** Seen only when an area takes long to arrive. */
export function Pending() {
  return (
    <div className="page">
      <Skeleton lines={6} label="Loading the page" />
    </div>
  );
}
