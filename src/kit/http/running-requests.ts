import type { FastifyReply } from 'fastify';

/** How many answers are not finished, so that a stopping server knows what it still owes. */
export type RunningRequests = {
  add(): void;
  /** The answer is finished, or its client has left. */
  remove(reply: FastifyReply): void;
  /** A stream whose reader can resume elsewhere need not be waited for. */
  markResumable(reply: FastifyReply): void;
  isDraining(): boolean;
  /** Resolves when nothing runs any more, or when the limit has passed; the caller then cuts off the rest. */
  drain(limitMs: number): Promise<void>;
};

export function createRunningRequests(): RunningRequests {
  // A number and not a set of the replies: a set that lives long and changes with each request leaves behind tables
  // that still name what was in them, and the collector then carries every request along until its next full round.
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
      resumable.delete(reply);
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
