import type { FastifyReply } from 'fastify';

/** Every answer that is not finished, so that a stopping server knows what it still owes. */
export type RunningRequests = {
  add(reply: FastifyReply): void;
  /** A stream whose reader can resume elsewhere need not be waited for. */
  markResumable(reply: FastifyReply): void;
  isDraining(): boolean;
  /** Resolves when nothing runs any more, or when the limit has passed and the rest was cut off. */
  drain(limitMs: number): Promise<void>;
};

export function createRunningRequests(): RunningRequests {
  const running = new Set<FastifyReply>();
  const resumable = new Set<FastifyReply>();
  let onIdle: (() => void) | undefined;
  let draining = false;

  return {
    add(reply) {
      running.add(reply);
      reply.raw.on('close', () => {
        running.delete(reply);
        resumable.delete(reply);
        if (running.size === 0) onIdle?.();
      });
    },
    markResumable: (reply) => void resumable.add(reply),
    isDraining: () => draining,
    async drain(limitMs) {
      draining = true;
      for (const reply of resumable) reply.raw.end();
      if (running.size === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      for (const reply of running) reply.raw.destroy();
    },
  };
}
