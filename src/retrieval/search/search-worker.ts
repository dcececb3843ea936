import { parentPort, workerData } from 'node:worker_threads';
import { openSqliteReader } from '../../kit/db/index.ts';
import { type CandidateQuery, type Candidates, findCandidates } from './find-candidates.ts';

export type SearchOrder = { id: number; query: CandidateQuery };
export type SearchReport = { id: number } & ({ candidates: Candidates } | { failure: string });

const CACHE_KIB = 16_384;

const db = openSqliteReader(workerData as string, CACHE_KIB);

parentPort?.on('message', async ({ id, query }: SearchOrder) => {
  parentPort?.postMessage(await answer(id, query));
});

async function answer(id: number, query: CandidateQuery): Promise<SearchReport> {
  try {
    return { id, candidates: await findCandidates(db, 'sqlite', query) };
  } catch (error) {
    return { id, failure: error instanceof Error ? error.message : String(error) };
  }
}
