import { openSqliteReader, serveReads } from '../../kit/db/index.ts';
import type { CandidateQuery, Candidates } from './candidate-query.ts';
import { findCandidates } from './find-candidates.ts';
import { createTermCounts } from './term-counts.ts';

const CACHE_KIB = 16_384;

serveReads<CandidateQuery, Candidates>((file) => {
  const db = openSqliteReader(file, CACHE_KIB);
  const countTerms = createTermCounts();
  return (query, signal) =>
    findCandidates({ db, kind: 'sqlite', beside: (read) => read(db) }, query, signal, countTerms);
});
