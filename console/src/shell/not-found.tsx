import { Link } from '@tanstack/react-router';
import { EmptyState } from '../ui/empty-state.tsx';

export function NotFound() {
  return (
    <div className="page">
      <EmptyState
        level={1}
        icon="search"
        title="Page not found"
        action={
          <Link className="button" to="/">
            Go to home
          </Link>
        }
      >
        The address may be wrong, or the item was deleted.
      </EmptyState>
    </div>
  );
}
