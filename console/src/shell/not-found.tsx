import { Link } from '@tanstack/react-router';
import { EmptyState } from '../ui/empty-state.tsx';

export function NotFound() {
  return (
    <div className="page">
      <EmptyState
        level={1}
        icon="search"
        title="There is no such page"
        action={
          <Link className="button" to="/">
            Go to Home
          </Link>
        }
      >
        The address may be mistyped, or what it named was removed.
      </EmptyState>
    </div>
  );
}
