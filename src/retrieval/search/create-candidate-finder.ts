import { codeFile } from '../../kit/base/locations.ts';
import { createReaderThreads, type Database } from '../../kit/db/index.ts';
import { createFairQueue, type Tenant, type WatchQueue } from '../../kit/fair-queue/index.ts';
import { retrievalErrors } from '../errors.ts';
import { readByIndexes } from '../store/nearest.ts';
import type { CandidateQuery, Candidates } from './candidate-query.ts';
import { findCandidates } from './find-candidates.ts';
import { createTermCounts } from './term-counts.ts';

/** Searches at once, and of one organization; SQLite has a thread for each. */
const TURNS = {
  sqlite: { concurrency: 2, perTenantMax: 1 },
  postgres: { concurrency: 4, perTenantMax: 2 },
};
const WAITING_MAX = 256;
const IDLE_MS = 60_000;

export type CandidateFinder = {
  /** When the tenant's turn has come. Ends early where nobody waits for it any more. */
  find(tenant: Tenant, query: CandidateQuery, signal: AbortSignal): Promise<Candidates>;
  close(): Promise<void>;
};

export function createCandidateFinder(database: Database, watch?: WatchQueue): CandidateFinder {
  const queue = createFairQueue({
    ...TURNS[database.kind],
    waitingMax: WAITING_MAX,
    refuse: ({ by, retryAfterSeconds }) =>
      by === 'tenant'
        ? retrievalErrors.too_many_searches({ retryAfterSeconds })
        : retrievalErrors.search_overloaded({ retryAfterSeconds }),
    watch,
  });
  const { read, close } = createReader(database);
  return { find: (tenant, query, signal) => queue.run(tenant, signal, () => read(query, signal)), close };
}

/** On SQLite in threads that are started when they are needed; PostgreSQL does the work itself. */
function createReader({ kind, db, file }: Database) {
  if (file === undefined) {
    const countTerms = createTermCounts();
    return {
      read: (query: CandidateQuery, signal: AbortSignal) =>
        readByIndexes(db, (tx) =>
          findCandidates({ db: tx, kind, beside: (read) => readByIndexes(db, read) }, query, signal, countTerms),
        ),
      close: async () => undefined,
    };
  }
  const program = codeFile('retrieval/search/search-worker.ts');
  const { concurrency: threadsMax } = TURNS.sqlite;
  return createReaderThreads<CandidateQuery, Candidates>({ file, program, threadsMax, idleMs: IDLE_MS });
}
