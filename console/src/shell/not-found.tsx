import { Link } from '@tanstack/react-router';
import { buttonClass } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import pageStyles from '../ui/page.module.css';

export function NotFound() {
  return (
    <div className={pageStyles.page}>
      <EmptyState
        level={1}
        icon="search"
        title="Page not found"
        action={
          <Link className={buttonClass({})} to="/">
            Go to home
          </Link>
        }
      >
        The address may be wrong, or the item was deleted.
      </EmptyState>
    </div>
  );
}
