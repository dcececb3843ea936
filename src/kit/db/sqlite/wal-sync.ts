import { close, closeSync, fdatasync, openSync } from 'node:fs';

/**
 * One shared fdatasync of the write-ahead log. Commits run with synchronous=NORMAL, so they return before
 * they are on disk; whoever acknowledges a write awaits `durable()` first. A call that arrives while a sync
 * runs joins the next one, so any number of writers shares one trip to the disk, off the event loop.
 */
export type WalSync = {
  wrote(): void;
  writes(): number;
  durable(): Promise<void>;
  /** The same for whoever is in no hurry: shares the next sync that somebody waits for, or has one in a moment. */
  soon(): Promise<void>;
  close(): void;
};

const SOON_MS = 5;

export function createWalSync(walPath: string): WalSync {
  let fd: number | undefined;
  let written = 0;
  let synced = 0;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  let patient: (PromiseWithResolvers<void> & { timer: NodeJS.Timeout }) | undefined;
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
    if (patient) {
      clearTimeout(patient.timer);
      sync.then(patient.resolve, patient.reject);
      patient = undefined;
    }
    return sync;
  }

  async function startAfter(previous: Promise<void>): Promise<void> {
    await previous;
    queued = undefined;
    return start();
  }

  function durable(): Promise<void> {
    // After a failed sync the system may have dropped the pages and call the next one a success, so there is none.
    if (broken) return Promise.reject(broken);
    if (synced >= written) return Promise.resolve();
    if (!running) return start();
    queued ??= startAfter(running);
    return queued;
  }

  return {
    wrote: () => {
      written++;
    },
    writes: () => written,
    durable,
    soon() {
      if (broken || running || synced >= written) return durable();
      patient ??= {
        ...Promise.withResolvers<void>(),
        timer: setTimeout(() => void durable().catch(() => undefined), SOON_MS),
      };
      return patient.promise;
    },
    close() {
      clearTimeout(patient?.timer);
      if (fd === undefined) return;
      const file = fd;
      fd = undefined;
      if (running) running.finally(() => close(file)).catch(() => undefined);
      else closeSync(file);
    },
  };
}
