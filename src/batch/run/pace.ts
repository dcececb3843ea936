import { setTimeout as sleep } from 'node:timers/promises';

/** How long batches slow down after a request of a client. */
const QUIET_MS = 250;
const YIELD_MS = 5;

export type Pace = {
  /** Waits for a free slot. Call the result to free it again. */
  enter(signal: AbortSignal): Promise<() => void>;
};

/** Batch requests share `concurrency` slots in this process, and only one while clients send requests. */
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
        // Woken by a free slot, or after the time in which the server may have become quiet.
        await Promise.race([new Promise<void>((resolve) => waiting.push(resolve)), sleep(QUIET_MS)]);
      }
      signal.throwIfAborted();
      running++;
      if (isBusy()) await sleep(YIELD_MS);
      return leave;
    },
  };
}
