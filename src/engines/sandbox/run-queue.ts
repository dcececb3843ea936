import { unavailable } from '../../kit/http/index.ts';

const RETRY_AFTER_SECONDS = 5;

/** Lets a few runs go on at once and a bounded number wait for their turn, first come, first served. */
export type RunQueue = {
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Nobody gets a turn any more. */
  close(): void;
};

export function createRunQueue({ concurrency, waitingMax }: { concurrency: number; waitingMax: number }): RunQueue {
  const waiting = new Set<() => void>();
  let running = 0;
  let isClosed = false;

  function turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < concurrency) {
      running += 1;
      return Promise.resolve();
    }
    if (waiting.size >= waitingMax) {
      throw unavailable('The code interpreter is busy. Try again in a moment.', RETRY_AFTER_SECONDS);
    }
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
        if (isClosed) throw unavailable('The server is stopping. Try again in a moment.', 1);
        return await work();
      } finally {
        const [next] = waiting;
        // The place is handed on, so `running` stays as it is.
        if (next && waiting.delete(next)) next();
        else running -= 1;
      }
    },
    close() {
      isClosed = true;
    },
  };
}
