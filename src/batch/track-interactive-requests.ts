import type { HttpObserver } from '../kit/http/index.ts';

export type InteractiveRequests = { observer: HttpObserver; lastMs(): number };

/** Remembers when a client last sent work, by `performance.now()`: batch jobs slow down then. */
export function trackInteractiveRequests(): InteractiveRequests {
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    observer: {
      // Reads, such as polling a job's status, are cheap and do not count.
      onRequest({ method }) {
        if (method === 'POST') lastMs = performance.now();
      },
      onResponse: () => undefined,
    },
    lastMs: () => lastMs,
  };
}
