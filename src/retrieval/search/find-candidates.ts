import type { Database, Db } from '../../kit/db/index.ts';
import type { Scored } from '../store/text.ts';
import { findAllowedChunks } from './allowed-chunks.ts';
import type { CandidateQuery, Candidates } from './candidate-query.ts';
import { findByMeaning, pause } from './find-by-meaning.ts';
import { findByWords } from './find-by-words.ts';
import type { TermCounts } from './term-counts.ts';

/** Runs a read beside the others of its search, where the database can do two at a time. */
export type ReadBeside = <T>(read: (db: Db) => Promise<T>) => Promise<T>;

/** The best chunks by their words, and by their meaning. Reads much: on SQLite it runs in a thread. */
export async function findCandidates(
  { db, kind, beside }: { db: Db; kind: Database['kind']; beside: ReadBeside },
  query: CandidateQuery,
  signal: AbortSignal,
  countTerms: TermCounts,
): Promise<Candidates> {
  const found: Candidates = { text: [], vector: [] };
  const { limit } = query;
  for (const collection of query.collections) {
    await pause(signal);
    const allowed = query.filter ? await findAllowedChunks(db, collection, query.filter) : undefined;
    if (allowed?.count === 0) continue;
    const { set } = collection;
    const [nearest, ranked] = await bothOf(
      set ? beside((own) => findByMeaning(own, collection, set, { limit, allowed, signal })) : [],
      findByWords(db, kind, collection, query, allowed, countTerms),
    );
    found.text.push(...ranked);
    found.vector.push(...nearest);
  }
  const best = <S extends Scored>(list: S[]) => list.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, limit);
  return { text: best(found.text), vector: best(found.vector) };
}

/** Neither is left behind when the other fails: its connection goes back to the pool. */
async function bothOf<A, B>(a: A | Promise<A>, b: B | Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}
