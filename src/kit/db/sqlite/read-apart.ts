import type { CompiledQuery } from 'kysely';
import { codeFile } from '../../base/locations.ts';
import { createReaderThreads } from './reader-threads.ts';

export type ApartQuery = { sql: string; parameters: readonly unknown[] };

const THREADS_MAX = 4;
const IDLE_MS = 5000;

export type ApartReader = { read<R>(query: CompiledQuery<R>): Promise<R[]>; close(): Promise<void> };

/** Single long queries, off the event loop. */
export function createApartReader(file: string): ApartReader {
  const program = codeFile('kit/db/sqlite/read-apart-worker.ts');
  const threads = createReaderThreads<ApartQuery, unknown[]>({
    file,
    program,
    threadsMax: THREADS_MAX,
    idleMs: IDLE_MS,
  });
  return {
    read: async <R>({ sql, parameters }: CompiledQuery<R>) => (await threads.read({ sql, parameters })) as R[],
    close: () => threads.close(),
  };
}
