import { setTimeout as sleep } from 'node:timers/promises';

/** How long after somebody's request the batch keeps out of the way. */
const QUIET_MS = 250;
const YIELD_MS = 5;

export type Pace = {
  /** Resolves with the right to ask one request; call what it gives when it is answered. */
  enter(signal: AbortSignal): Promise<() => void>;
};

/**
 * Requests of batches share `concurrency` places in this process. While somebody waits for an answer of their own,
 * only one place is used, and not at every moment.
 */
export function createPace(options: { concurrency: number; lastArrivalMs: () => number }): Pace {
  const { concurrency, lastArrivalMs } = options;
  let running = 0;
  const waiting: (() => void)[] = [];
  const isBusy = () => performance.now() - lastArrivalMs() < QUIET_MS;
  const leave = () => {
    running--;
    waiting.shift()?.();
  };

  return {
    async enter(signal) {
      while (running >= (isBusy() ? 1 : concurrency)) {
        signal.throwIfAborted();
        // The place may also become free because the others have gone, which nobody tells.
        await Promise.race([new Promise<void>((resolve) => waiting.push(resolve)), sleep(QUIET_MS)]);
      }
      signal.throwIfAborted();
      running++;
      if (isBusy()) await sleep(YIELD_MS);
      return leave;
    },
  };
}
