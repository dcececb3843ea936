import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 640px)');

/** Whether the style sheets' narrow breakpoint applies. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}
