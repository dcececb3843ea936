import { Worker } from 'node:worker_threads';
import type { CompiledQuery } from 'kysely';
import { codeFile } from '../../base/locations.ts';

export type ApartQuery = { sql: string; parameters: readonly unknown[] };
export type ApartReport = { rows: unknown[] } | { failure: string };

/** A thread is quick to start, but not as quick as a query; an idle one costs memory. */
const IDLE_MS = 5000;

export type ApartReader = { read<R>(query: CompiledQuery<R>): Promise<R[]>; close(): Promise<void> };

/** Threads with a connection of their own: as many as queries run at once, for as long as more come. */
export function createApartReader(file: string): ApartReader {
  const idle = new Map<Worker, NodeJS.Timeout>();

  function take(): Worker {
    const [found] = idle.entries();
    if (!found) return new Worker(codeFile('kit/db/sqlite/read-apart-worker.ts'), { workerData: file, env: {} });
    const [worker, timer] = found;
    clearTimeout(timer);
    idle.delete(worker);
    return worker;
  }

  function keep(worker: Worker): void {
    worker.unref();
    const end = () => {
      idle.delete(worker);
      void worker.terminate();
    };
    idle.set(worker, setTimeout(end, IDLE_MS).unref());
  }

  async function ask(worker: Worker, query: ApartQuery): Promise<ApartReport> {
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<ApartReport>();
    const onExit = () => reject(new Error('The thread that reads the database ended early.'));
    worker.once('message', resolve).once('error', reject).once('exit', onExit);
    worker.postMessage(query);
    try {
      return await promise;
    } finally {
      worker.off('message', resolve).off('error', reject).off('exit', onExit);
    }
  }

  return {
    async read<R>({ sql, parameters }: CompiledQuery<R>) {
      const worker = take();
      const report = await ask(worker, { sql, parameters });
      keep(worker);
      if ('failure' in report) throw new Error(report.failure);
      return report.rows as R[];
    },
    async close() {
      const workers = [...idle.keys()];
      for (const timer of idle.values()) clearTimeout(timer);
      idle.clear();
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
