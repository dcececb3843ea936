import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 640px)');

/** The screen is as narrow as the style sheets call it. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}
