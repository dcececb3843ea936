import type { HttpObserver } from '../kit/http/index.ts';

export type Arrivals = { observer: HttpObserver; lastMs(): number };

/** When somebody last asked for work they wait for, by `performance.now()`: what can wait keeps out of the way then. */
export function createArrivals(): Arrivals {
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    observer: {
      // Whoever only looks, such as at how far a job is, is not kept waiting by it.
      onRequest({ method }) {
        if (method === 'POST') lastMs = performance.now();
      },
      onResponse: () => undefined,
    },
    lastMs: () => lastMs,
  };
}
