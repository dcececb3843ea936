import { setImmediate as nextRound } from 'node:timers/promises';
import type { Logger } from '../base/log.ts';
import type { Database } from '../db/index.ts';
import { deleteEnded } from './store/complete.ts';
import type { Lease } from './store/lease.ts';

/** Much shorter than a lease. */
const WAIT_MS = 250;
/** Few enough that a request beside them hardly waits. */
const GROUP_MAX = 32;
/** Nobody waits for the disk. */
const SYNC_MS = 1000;

export type Remover = {
  add(lease: Lease): void;
  /** Removes what is left. */
  flush(): Promise<void>;
};

/** Deletes tasks that have ended, some together: each one changes the same few pages. */
export function createRemover({ database, log }: { database: Database; log: Logger }): Remover {
  let ended: Lease[] = [];
  let timer: NodeJS.Timeout | undefined;
  let removing: Promise<void> | undefined;

  async function removeAll(): Promise<void> {
    // After the response of whoever ended the last one.
    await nextRound();
    while (ended.length > 0) {
      const group = ended.slice(0, GROUP_MAX);
      ended = ended.slice(GROUP_MAX);
      try {
        await database.commit((tx) => deleteEnded(tx, group), SYNC_MS);
      } catch (error) {
        // They come again when their leases have run out, and end at once.
        log.warn({ err: error, tasks: group.length }, 'ended tasks could not be removed yet');
      }
    }
    removing = undefined;
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    removing ??= removeAll();
    return removing;
  }

  return {
    add(lease) {
      ended.push(lease);
      if (ended.length >= GROUP_MAX) void flush();
      else timer ??= setTimeout(() => void flush(), WAIT_MS).unref();
    },
    flush,
  };
}
