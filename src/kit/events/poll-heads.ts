import type { Db } from '../db/index.ts';
import { listHeads } from './store/streams.ts';

export type HeadPoller = { start(): void; stop(): Promise<void> };

type Options = {
  db: Db;
  pollMs: number;
  /** The streams that are read now; without any, the poller rests until the next start. */
  streams: () => string[];
  onHead: (stream: string, head: number) => void;
};

/** One timer for all readers of the process: finds events without a wake-up, such as those of another process. */
export function createHeadPoller({ db, pollMs, streams, onHead }: Options): HeadPoller {
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;

  function start(): void {
    if (timer || polling) return;
    timer = setTimeout(() => {
      timer = undefined;
      polling = poll().finally(() => {
        polling = undefined;
        if (streams().length > 0) start();
      });
    }, pollMs);
    timer.unref();
  }

  async function poll(): Promise<void> {
    try {
      for await (const heads of listHeads(db, streams())) for (const { stream, head } of heads) onHead(stream, head);
    } catch {
      // A failed poll is repeated at the next tick; readers get the error in their own reads.
    }
  }

  return {
    start,
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await polling;
    },
  };
}
