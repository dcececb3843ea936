import { Worker } from 'node:worker_threads';
import type { CheckpointFailure } from './checkpoint-worker.ts';
import type { WalSync } from './wal-sync.ts';

const INTERVAL_MS = 1000;

/**
 * Moves the log into the database file from a worker thread: its fsyncs never stop the event loop.
 * The thread starts with the first write, so a quick start pays nothing for it.
 */
export function startCheckpoints(file: string, wal: WalSync): { stop(): Promise<void> } {
  let worker: Worker | undefined;
  let seen = 0;
  const timer = setInterval(() => {
    // What is in doubt must not reach the database file: after a power cut the older log would hide what is there.
    if (wal.writes() === seen || wal.isInDoubt()) return;
    seen = wal.writes();
    worker ??= startWorker();
    worker.postMessage('checkpoint');
  }, INTERVAL_MS);
  timer.unref();

  /** Nothing is lost, the log only grows; the next tick tries again. */
  function fail({ code, message }: CheckpointFailure): void {
    process.emitWarning(`A checkpoint of ${file} failed: ${message}`);
    seen = -1;
    // It syncs the log as well as the database, and does not say which of the two failed.
    if (code === 'SQLITE_IOERR_FSYNC') wal.distrust(Object.assign(new Error(message), { code }));
  }

  function startWorker(): Worker {
    const started = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: file });
    started.unref();
    started.on('message', fail);
    started.once('error', (error) => {
      worker = undefined;
      fail({ code: '', message: error instanceof Error ? error.message : String(error) });
    });
    return started;
  }

  return {
    async stop() {
      clearInterval(timer);
      const started = worker;
      if (!started) return;
      // Whoever stops twice waits once.
      worker = undefined;
      const ended = new Promise((resolve) => started.once('exit', resolve));
      started.ref();
      started.postMessage('stop');
      await ended;
    },
  };
}
