import { useState } from 'react';

/**
 * Pages of a list whose API only tells how to go on: the way back is remembered. What `of` stands for is what the list
 * is narrowed by; when it changes the list begins anew.
 */
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
