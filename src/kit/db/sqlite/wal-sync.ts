import { close, closeSync, fdatasync, openSync } from 'node:fs';
import { StorageFailure, storageProblemOf } from '../../base/storage-failure.ts';

/**
 * One shared fdatasync of the write-ahead log. Commits run with synchronous=NORMAL, so they return before
 * they are on disk; whoever acknowledges a write awaits `durable()` first. A call that arrives while a sync
 * runs joins the next one, so any number of writers shares one trip to the disk, off the event loop.
 *
 * After a failed sync the log is in doubt: the system may have dropped what it could not write. Nothing is
 * acknowledged then, and nothing new is begun, until all of the log was written again and synced.
 */
export type WalSync = {
  wrote(): void;
  writes(): number;
  durable(): Promise<void>;
  /** The same for whoever is in no hurry: shares the next sync that somebody waits for, or has one in a moment. */
  soon(): Promise<void>;
  /** Before a write: throws while the log is in doubt and could not be mended. */
  mend(): Promise<void>;
  isInDoubt(): boolean;
  /** Somebody else saw a sync of the log fail. */
  distrust(cause: unknown): void;
  close(): void;
};

const SOON_MS = 5;
/** Between two attempts to mend: the log may be long, and a disk that is full stays so for a while. */
const MEND_PAUSE_MS = 250;

/** `rewrite` writes all of the log again while nobody else writes to it. */
export function createWalSync(walPath: string, rewrite: () => Promise<void>): WalSync {
  let fd: number | undefined;
  let written = 0;
  let synced = 0;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  let patient: (PromiseWithResolvers<void> & { timer: NodeJS.Timeout }) | undefined;
  let doubt: { failure: StorageFailure; triedAt: number } | undefined;
  let mending: Promise<void> | undefined;

  async function sync(): Promise<void> {
    // The log appears with the first write and keeps its inode while a connection is open.
    fd ??= openSync(walPath, 'r+');
    const covers = written;
    const file = fd;
    await new Promise<void>((resolve, reject) => {
      fdatasync(file, (error) => {
        if (error) return reject(error);
        synced = Math.max(synced, covers);
        resolve();
      });
    });
  }

  function start(): Promise<void> {
    const started = sync()
      .catch((cause: unknown) => {
        distrust(cause);
        throw new StorageFailure('unknown', 'The disk failed to keep what was written.', { cause });
      })
      .finally(() => {
        running = undefined;
      });
    running = started;
    takeAlong(started);
    return started;
  }

  function takeAlong(trip: Promise<void>): void {
    if (!patient) return;
    clearTimeout(patient.timer);
    trip.then(patient.resolve, patient.reject);
    patient = undefined;
  }

  async function startAfter(previous: Promise<void>): Promise<void> {
    // Whoever waited for it was told; what comes after it finds the log in doubt.
    await previous.catch(() => undefined);
    queued = undefined;
    return durable();
  }

  function distrust(cause: unknown): void {
    const failure = new StorageFailure(storageProblemOf(cause) ?? 'failing', 'The log could not be synced.', { cause });
    doubt = { failure, triedAt: Number.NEGATIVE_INFINITY };
  }

  async function mend(): Promise<void> {
    if (!doubt) return;
    if (!mending) {
      if (performance.now() - doubt.triedAt < MEND_PAUSE_MS) throw doubt.failure;
      mending = tryToMend().finally(() => {
        mending = undefined;
      });
      takeAlong(mending);
    }
    return mending;
  }

  async function tryToMend(): Promise<void> {
    try {
      await rewrite();
      await sync();
      doubt = undefined;
    } catch (cause) {
      const problem = storageProblemOf(cause) ?? 'failing';
      const failure = new StorageFailure(problem, 'The log could not be written again.', { cause });
      doubt = { failure, triedAt: performance.now() };
      throw failure;
    }
  }

  async function mendFirst(): Promise<void> {
    await mend();
    return durable();
  }

  function durable(): Promise<void> {
    if (doubt) return mendFirst();
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
      if (doubt || running || synced >= written) return durable();
      patient ??= {
        ...Promise.withResolvers<void>(),
        timer: setTimeout(() => void durable().catch(() => undefined), SOON_MS),
      };
      return patient.promise;
    },
    mend,
    isInDoubt: () => doubt !== undefined,
    distrust,
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
