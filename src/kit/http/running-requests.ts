import type { FastifyReply } from 'fastify';

/** Counts unfinished responses, so that a stopping server can wait for them. */
export type RunningRequests = {
  add(): void;
  /** The response is finished, or its client has disconnected. */
  remove(reply: FastifyReply): void;
  /** A stream whose reader can resume elsewhere need not be waited for. */
  markResumable(reply: FastifyReply): void;
  isDraining(): boolean;
  /** Resolves when nothing runs any more or the limit has passed; the caller then closes the rest. */
  drain(limitMs: number): Promise<void>;
};

export function createRunningRequests(): RunningRequests {
  // A number instead of a set of replies: the old backing tables of a long-lived set keep requests alive until the next
  // full garbage collection.
  let running = 0;
  const resumable = new Set<FastifyReply>();
  let onIdle: (() => void) | undefined;
  let draining = false;

  return {
    add: () => {
      running++;
    },
    remove(reply) {
      running--;
      if (resumable.size > 0) resumable.delete(reply);
      if (running === 0) onIdle?.();
    },
    markResumable: (reply) => void resumable.add(reply),
    isDraining: () => draining,
    async drain(limitMs) {
      draining = true;
      for (const reply of resumable) reply.raw.end();
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
