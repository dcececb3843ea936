import { Worker } from 'node:worker_threads';
import type { CompiledQuery } from 'kysely';
import { codeFile } from '../../base/locations.ts';

export type ApartOrder = { file: string; sql: string; parameters: readonly unknown[] };
export type ApartReport = { rows: unknown[] } | { failure: string };

/** One thread per query: such reads are rare, and an idle thread would cost memory. */
export async function readApart<R>(file: string, { sql, parameters }: CompiledQuery<R>): Promise<R[]> {
  const workerData: ApartOrder = { file, sql, parameters };
  const worker = new Worker(codeFile('kit/db/sqlite/read-apart-worker.ts'), { workerData, env: {} });
  worker.unref();
  const report = await new Promise<ApartReport>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The thread that reads the database ended early.')));
  });
  if ('failure' in report) throw new Error(report.failure);
  return report.rows as R[];
}
