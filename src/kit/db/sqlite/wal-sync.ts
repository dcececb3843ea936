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

  function start(): Promise<void> {
    // The log appears with the first write and keeps its inode while a connection is open.
    fd ??= openSync(walPath, 'r+');
    const covers = written;
    const file = fd;
    const sync = new Promise<void>((resolve, reject) => {
      fdatasync(file, (error) => {
        running = undefined;
        if (error) reject(error);
        else {
          synced = Math.max(synced, covers);
          resolve();
        }
      });
    });
    running = sync;
    return sync;
  }

  async function startAfter(previous: Promise<void>): Promise<void> {
    // A failed sync is reported to those who waited for it; the next one tries again.
    await previous.catch(() => undefined);
    queued = undefined;
    return start();
  }

  return {
    wrote: () => {
      written++;
    },
    writes: () => written,
    durable() {
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
