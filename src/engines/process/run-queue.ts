import { type ApiError, requestErrors } from '../../kit/http/index.ts';

/** Lets a few runs go on at once and a bounded number wait for their turn, first come, first served. */
export type RunQueue = {
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Refuses everything from now on. */
  close(): void;
};

export type RunQueueOptions = { concurrency: number; waitingMax: number; busy: () => ApiError };

export function createRunQueue({ concurrency, waitingMax, busy }: RunQueueOptions): RunQueue {
  const waiting = new Set<() => void>();
  let running = 0;
  let isClosed = false;

  function turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < concurrency) {
      running += 1;
      return Promise.resolve();
    }
    if (waiting.size >= waitingMax) throw busy();
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(start);
        reject(signal.reason);
      };
      const start = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      waiting.add(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  return {
    async run(signal, work) {
      await turn(signal);
      try {
        if (isClosed) throw requestErrors.server_stopping();
        return await work();
      } finally {
        const [next] = waiting;
        // The slot is handed on, so `running` stays as it is.
        if (next && waiting.delete(next)) next();
        else running -= 1;
      }
    },
    close() {
      isClosed = true;
    },
  };
}
