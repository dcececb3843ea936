import { Worker } from 'node:worker_threads';
import type { CompiledQuery } from 'kysely';

export type ApartOrder = { file: string; sql: string; parameters: readonly unknown[] };
export type ApartReport = { rows: unknown[] } | { failure: string };

/** One thread per query: such reads are rare, and an idle thread would cost memory. */
export async function readApart<R>(file: string, { sql, parameters }: CompiledQuery<R>): Promise<R[]> {
  const workerData: ApartOrder = { file, sql, parameters };
  const worker = new Worker(new URL('./read-apart-worker.ts', import.meta.url), { workerData, env: {} });
  worker.unref();
  const report = await new Promise<ApartReport>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The thread that reads the database ended early.')));
  });
  if ('failure' in report) throw new Error(report.failure);
  return report.rows as R[];
}
