import { closeSync, openSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { codeFile } from '../../base/locations.ts';
import type { CheckpointData, CheckpointFailure, CheckpointOrder, CheckpointReport } from './checkpoint-worker.ts';
import type { WalSync } from './wal-sync.ts';

const INTERVAL_MS = 1000;
/** The log is replayed after a crash, so this bounds the time of a start. */
const LOG_BYTES_MAX = 32 * 1024 * 1024;
/** How much longer the file may stay: the log passes its limit before it is noticed. */
const KEPT = 2;

/** A page may be written while the pages before it are overwritten; then the next pass finds it. */
const PASSES_MAX = 8;
/** Then writers wait for a pass, if the one before was so short: with them nothing is left to find. */
const PASSES_BESIDE_WRITERS = 2;
const HELD_MS_MAX = 250;
/** Between two tries to find a moment without readers. */
const PAUSE_MS = 200;
const TRIES_MAX = 50;

/** Others read or write all the time: what was asked for can be done later. */
export class NoCalmMoment extends Error {}

type Checkpoints = {
  /** Resolves when what was deleted before is nowhere in the file, nor in its log. */
  overwriteDeleted(): Promise<void>;
  stop(): Promise<void>;
  /** Only after this process has closed its connections to the database. */
  close(): void;
};

type Options = {
  file: string;
  wal: WalSync;
  /** Runs `work` while no writer is active. */
  holdWrites: (work: () => Promise<void>) => Promise<void>;
  /** Lets the writer read every page again that it needs. */
  dropPages: () => void;
  logBytesMax?: number | undefined;
};

/**
 * Moves the log into the database file from a worker thread, so its fsyncs never block the event loop. The thread starts
 * with the first write.
 *
 * SQLite starts the log over only when all of it was moved and nothing was written meanwhile, which never happens under a
 * steady load. So when it is too long, writers wait a moment while the rest is moved.
 */
export function startCheckpoints({
  file,
  wal,
  holdWrites,
  dropPages,
  logBytesMax = LOG_BYTES_MAX,
}: Options): Checkpoints {
  const stopping = new Int32Array(new SharedArrayBuffer(4));
  // Closing any handle of a file drops all locks of the process on it, so this one stays open.
  let handle: number | undefined;
  let overwriting: Promise<void> = Promise.resolve();
  let worker: Worker | undefined;
  let waiting: ((report: CheckpointReport) => void) | undefined;
  let seen = 0;
  let isRunning = false;
  let isStopped = false;
  const timer = setInterval(() => {
    // A log in doubt must not reach the database file: after a power cut the older log would hide it.
    if (isRunning || wal.writes() === seen || wal.isInDoubt()) return;
    void checkpoint();
  }, INTERVAL_MS);
  timer.unref();
  // Left behind by a process that crashed.
  if (sizeOf(`${file}-wal`) > KEPT * logBytesMax) void checkpoint();

  async function checkpoint(): Promise<void> {
    isRunning = true;
    seen = wal.writes();
    const { logBytes } = await order('checkpoint');
    if (logBytes > logBytesMax) await holdWrites(restart);
    isRunning = false;
  }

  async function restart(): Promise<void> {
    if (isStopped || wal.isInDoubt()) return;
    const { logBytes } = await order('restart');
    // Another reader is active, such as a backup; the next tick tries again.
    if (logBytes > 0) seen = -1;
  }

  async function overwriteDeleted(): Promise<void> {
    handle ??= openSync(file, 'r+');
    const overwrite = handle;
    let passMs = Number.POSITIVE_INFINITY;
    for (let pass = 0; pass < PASSES_MAX; pass++) {
      const isHeld = pass >= PASSES_BESIDE_WRITERS && passMs <= HELD_MS_MAX;
      let report: CheckpointReport | undefined;
      const clear = async () => {
        const startedAt = performance.now();
        report = await order({ overwrite });
        passMs = performance.now() - startedAt;
        dropPages();
      };
      await freeze(isHeld ? clear : undefined);
      if (!isHeld) await clear();
      isRunning = false;
      const { failure, pages, logBytes } = report ?? {};
      if (failure || isStopped) throw new Error(failure?.message ?? 'The database is being closed.');
      // Held, only another process can have written.
      if (pages === 0 || (isHeld && logBytes === 0)) return;
    }
    throw new NoCalmMoment('Pages with deleted rows are written all the time.');
  }

  /**
   * With `isRunning`, so that nothing else is asked of the thread before the file may change again. Writers go on after
   * `whileHeld`.
   */
  async function freeze(whileHeld?: () => Promise<void>): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (isStopped || wal.isInDoubt()) break;
      if (!isRunning) {
        isRunning = true;
        let isFrozen = false;
        await holdWrites(async () => {
          const { logBytes, failure } = await order('freeze');
          isFrozen = logBytes === 0 && !failure;
          if (isFrozen) await whileHeld?.();
        });
        if (isFrozen) return;
        isRunning = false;
      }
      await delay(PAUSE_MS);
    }
    throw new NoCalmMoment('There was no moment without a reader of the log.');
  }

  function order(what: CheckpointOrder): Promise<CheckpointReport> {
    worker ??= startWorker();
    worker.postMessage(what);
    return new Promise((resolve) => {
      waiting = resolve;
    });
  }

  function answer(report: CheckpointReport): void {
    if (report.failure) fail(report.failure);
    waiting?.(report);
    waiting = undefined;
  }

  /** Nothing is lost, the log only grows; the next tick tries again. */
  function fail({ code, message }: CheckpointFailure): void {
    process.emitWarning(`A checkpoint of ${file} failed: ${message}`);
    seen = -1;
    // SQLite syncs the log and the database, and does not say which of the two failed.
    if (code === 'SQLITE_IOERR_FSYNC') wal.distrust(Object.assign(new Error(message), { code }));
  }

  function startWorker(): Worker {
    const started = new Worker(codeFile('kit/db/sqlite/checkpoint-worker.ts'), {
      workerData: { file, stopping, keptBytesMax: KEPT * logBytesMax } satisfies CheckpointData,
      env: {},
    });
    started.unref();
    started.on('message', answer);
    started.once('error', (error) => {
      worker = undefined;
      const failure = { code: '', message: error instanceof Error ? error.message : String(error) };
      answer({ failure, logBytes: 0 });
    });
    return started;
  }

  return {
    overwriteDeleted() {
      overwriting = overwriting.catch(() => undefined).then(overwriteDeleted);
      return overwriting;
    },
    close() {
      if (handle !== undefined) closeSync(handle);
    },
    async stop() {
      isStopped = true;
      Atomics.store(stopping, 0, 1);
      await overwriting.catch(() => undefined);
      clearInterval(timer);
      const started = worker;
      if (!started) return;
      // A second stop waits for the first.
      worker = undefined;
      const ended = new Promise((resolve) => started.once('exit', resolve));
      started.ref();
      started.postMessage('stop' satisfies CheckpointOrder);
      await ended;
    },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
