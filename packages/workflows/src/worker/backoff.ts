/** Exponential backoff with jitter. */
export type Backoff = { wait(signal?: AbortSignal): Promise<void>; reset(): void };

const FIRST_MS = 100;

export function createBackoff(maxMs: number): Backoff {
  let nextMs = FIRST_MS;
  return {
    wait(signal) {
      const ms = nextMs * (0.75 + Math.random() / 2);
      nextMs = Math.min(maxMs, nextMs * 2);
      return pause(ms, signal);
    },
    reset() {
      nextMs = FIRST_MS;
    },
  };
}

/** Resolves early when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
