import { useRouter } from '@tanstack/react-router';
import { ErrorState } from '../ui/error-state.tsx';

/** Keeps the navigation usable when an area fails. */
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
