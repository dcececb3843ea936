import { close, closeSync, fdatasync, openSync } from 'node:fs';
import { StorageFailure, storageProblemOf } from '../../base/storage-failure.ts';

/**
 * One shared fdatasync of the write-ahead log. Commits return before they are on disk (synchronous=NORMAL), so a write is
 * acknowledged only after `durable()`. A call that arrives during a sync joins the next one.
 *
 * After a failed sync the log is in doubt: the system may have dropped pages. Nothing is acknowledged or begun until all of
 * the log was written again and synced.
 */
export type WalSync = {
  wrote(): void;
  writes(): number;
  durable(): Promise<void>;
  /** The same without hurry: shares the next sync, or starts one in a moment, at the latest after `waitMs`. */
  soon(waitMs?: number): Promise<void>;
  /** Before a write: throws while the log is in doubt and could not be rewritten. */
  mend(): Promise<void>;
  isInDoubt(): boolean;
  /** A sync of the log failed elsewhere. */
  distrust(cause: unknown): void;
  close(): void;
};

const SOON_MS = 5;
/** Between two attempts to rewrite: the log may be long, and a full disk stays full for a while. */
const MEND_PAUSE_MS = 250;

/** `rewrite` writes all of the log again while no other writer is active. */
export function createWalSync(walPath: string, rewrite: () => Promise<void>): WalSync {
  let fd: number | undefined;
  let written = 0;
  let synced = 0;
  /** What the sync that was begun last makes durable. */
  let covered = 0;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  let patient: (PromiseWithResolvers<void> & { timer: NodeJS.Timeout; untilMs: number }) | undefined;
  let doubt: { failure: StorageFailure; triedAt: number } | undefined;
  let mending: Promise<void> | undefined;

  async function sync(): Promise<void> {
    // The log appears with the first write and keeps its inode while a connection is open.
    fd ??= openSync(walPath, 'r+');
    const covers = written;
    covered = covers;
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
    // Waiting callers got the error; later ones find the log in doubt.
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
    if (synced >= written) {
      takeAlong(Promise.resolve());
      return Promise.resolve();
    }
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
    soon(waitMs = SOON_MS) {
      if (doubt || synced >= written || (running && (waitMs <= SOON_MS || covered >= written))) return durable();
      const untilMs = performance.now() + waitMs;
      if (patient && patient.untilMs <= untilMs) return patient.promise;
      clearTimeout(patient?.timer);
      const timer = setTimeout(() => void durable().catch(() => undefined), waitMs);
      patient = { ...(patient ?? Promise.withResolvers<void>()), timer, untilMs };
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
