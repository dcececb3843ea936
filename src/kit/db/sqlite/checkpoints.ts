import { Worker } from 'node:worker_threads';
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
    if (wal.writes() === seen) return;
    seen = wal.writes();
    worker ??= startWorker();
    worker.postMessage('checkpoint');
  }, INTERVAL_MS);
  timer.unref();

  function startWorker(): Worker {
    const started = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: file });
    started.unref();
    started.once('error', (error) => {
      // Nothing is lost, the log only grows; the next tick tries with a new thread.
      process.emitWarning(`A checkpoint failed: ${error instanceof Error ? error.message : error}`);
      worker = undefined;
    });
    return started;
  }

  return {
    async stop() {
      clearInterval(timer);
      if (!worker) return;
      const ended = new Promise((resolve) => worker?.once('exit', resolve));
      worker.ref();
      worker.postMessage('stop');
      await ended;
    },
  };
}
