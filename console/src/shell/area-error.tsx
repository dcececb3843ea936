import { useRouter } from '@tanstack/react-router';
import { ErrorState } from '../ui/error-state.tsx';
import pageStyles from '../ui/page.module.css';

/** Keeps the navigation usable when an area fails. */
export function AreaError({ error, reset }: { error: unknown; reset?: () => void }) {
  const router = useRouter();
  const retry = async () => {
    reset?.();
    await router.invalidate();
  };
  return (
    <div className={pageStyles.page}>
      <ErrorState error={error} onRetry={retry} />
    </div>
  );
}
