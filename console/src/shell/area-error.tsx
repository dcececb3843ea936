import { useRouter } from '@tanstack/react-router';
import { ErrorState } from '../ui/error-state.tsx';

/** One broken area does not take the navigation with it. */
export function AreaError({ error, reset }: { error: unknown; reset?: () => void }) {
  const router = useRouter();
  const retry = async () => {
    reset?.();
    await router.invalidate();
  };
  return (
    <div className="page">
      <ErrorState error={error} onRetry={retry} />
    </div>
  );
}
