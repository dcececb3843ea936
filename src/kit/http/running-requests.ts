/** Counts unfinished responses, so that a stopping server can wait for them. */
export type RunningRequests = {
  add(): void;
  /** The response is finished, or its client has disconnected. */
  remove(): void;
  isDraining(): boolean;
  /** Resolves when nothing runs any more or the limit has passed; the caller then closes the rest. */
  drain(limitMs: number): Promise<void>;
};

export function createRunningRequests(): RunningRequests {
  // A number instead of a set of replies: the old backing tables of a long-lived set keep requests alive until the next
  // full garbage collection.
  let running = 0;
  let onIdle: (() => void) | undefined;
  let draining = false;

  return {
    add: () => {
      running++;
    },
    remove() {
      running--;
      if (running === 0) onIdle?.();
    },
    isDraining: () => draining,
    async drain(limitMs) {
      draining = true;
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
