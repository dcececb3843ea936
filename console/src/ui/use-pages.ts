import { useState } from 'react';

/** Pages of a cursor-based list: remembers the cursors for going back. Starts over when the filter `of` changes. */
export function usePages(of: string) {
  const [state, setState] = useState<{ of: string; cursors: string[] }>({ of, cursors: [] });
  const cursors = state.of === of ? state.cursors : [];
  return {
    cursor: cursors.at(-1),
    page: cursors.length + 1,
    goTo(page: number, next: string | null | undefined) {
      if (page <= cursors.length) setState({ of, cursors: cursors.slice(0, page - 1) });
      else if (next) setState({ of, cursors: [...cursors, next] });
    },
  };
}
