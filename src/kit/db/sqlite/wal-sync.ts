import { close, closeSync, fdatasync, openSync } from 'node:fs';

/**
 * One shared fdatasync of the write-ahead log. Commits run with synchronous=NORMAL, so they return before
 * they are on disk; whoever acknowledges a write awaits `durable()` first. A call that arrives while a sync
 * runs joins the next one, so any number of writers shares one trip to the disk, off the event loop.
 */
export type WalSync = { wrote(): void; writes(): number; durable(): Promise<void>; close(): void };

export function createWalSync(walPath: string): WalSync {
  let fd: number | undefined;
  let written = 0;
  let synced = 0;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  let broken: Error | undefined;

  function start(): Promise<void> {
    // The log appears with the first write and keeps its inode while a connection is open.
    fd ??= openSync(walPath, 'r+');
    const covers = written;
    const file = fd;
    const sync = new Promise<void>((resolve, reject) => {
      fdatasync(file, (error) => {
        running = undefined;
        if (error) {
          broken = new Error('The disk failed to keep what was written. Check it, then restart the server.', {
            cause: error,
          });
          reject(broken);
        } else {
          synced = Math.max(synced, covers);
          resolve();
        }
      });
    });
    running = sync;
    return sync;
  }

  async function startAfter(previous: Promise<void>): Promise<void> {
    await previous;
    queued = undefined;
    return start();
  }

  return {
    wrote: () => {
      written++;
    },
    writes: () => written,
    durable() {
      // After a failed sync the system may have dropped the pages and call the next one a success, so there is none.
      if (broken) return Promise.reject(broken);
      if (synced >= written) return Promise.resolve();
      if (!running) return start();
      queued ??= startAfter(running);
      return queued;
    },
    close() {
      if (fd === undefined) return;
      const file = fd;
      fd = undefined;
      if (running) running.finally(() => close(file)).catch(() => undefined);
      else closeSync(file);
    },
  };
}
