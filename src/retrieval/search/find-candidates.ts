import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Db } from '../../kit/db/index.ts';
import { firstIdOf } from '../schema/chunk.ts';
import type { Filter } from '../schema/filter.ts';
import { NearestSigns } from '../store/blocks.ts';
import { decodeVector, packSigns, similarity } from '../store/encode-vectors.ts';
import { findAllowed } from '../store/filters.ts';
import { listNearest } from '../store/nearest.ts';
import { countRows, countTerms, rankText, type Scored, type TextScored, type WeighedTerm } from '../store/text.ts';
import { listBlocks, readVectors } from '../store/vectors.ts';

/** One collection of a search, with what the query is in it. Plain data: it may cross to a thread. */
export type CollectionQuery = {
  no: number;
  /** One more than the largest number of a chunk. */
  span: number;
  /** For each word its possible forms; none where the text is not searched. */
  terms: string[][];
  set: SetQuery | null;
};
export type SetQuery = {
  no: number;
  vector: Float32Array;
  /** Whether PostgreSQL has an index of these vectors; otherwise their signs are scanned. */
  isIndexed: boolean;
};

export type CandidateQuery = {
  collections: CollectionQuery[];
  /** Every word must be there, instead of any. */
  needsAll: boolean;
  filter: Filter | null;
  /** So many of each kind are wanted. */
  limit: number;
};

export type Candidates = { text: TextScored[]; vector: Scored[] };

type Allowed = { chunks: Uint8Array; ids: number[] | undefined };

/** A filter that lets so few chunks through is given to the indexes as their ids. */
const IDS_MAX = 4000;
const BLOCKS_PER_READ = 16;
/** Signs find the nearest only roughly, so that many are compared exactly. */
const RESCORED_MIN = 200;
const RESCORED_FACTOR = 8;
/** Terms of more chunks than this are left out where rarer ones are there. */
const COMMON_SHARE = 0.08;
const COMMON_MIN = 2000;
const ROWS_MAX = { sqlite: 20_000, postgres: 6000 };
const FILTERED_FACTOR = 20;

/** The best chunks by their words, and by their meaning. Reads much: on SQLite it runs in a thread. */
export async function findCandidates(db: Db, kind: Database['kind'], query: CandidateQuery): Promise<Candidates> {
  const found: Candidates = { text: [], vector: [] };
  for (const collection of query.collections) {
    const allowed = query.filter ? await findAllowedChunks(db, collection, query.filter) : undefined;
    if (allowed?.ids?.length === 0) continue;
    found.text.push(...(await findByWords(db, kind, collection, query, allowed)));
    if (collection.set)
      found.vector.push(...(await findByMeaning(db, collection, collection.set, query.limit, allowed)));
  }
  const best = <S extends Scored>(list: S[]) =>
    list.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, query.limit);
  return { text: best(found.text), vector: best(found.vector) };
}

async function findAllowedChunks(db: Db, collection: CollectionQuery, filter: Filter): Promise<Allowed> {
  const chunks = await findAllowed(db, collection, filter);
  const first = firstIdOf(collection.no);
  const ids: number[] = [];
  for (let number = 0; number < chunks.length && ids.length <= IDS_MAX; number++) {
    if (chunks[number] === 1) ids.push(first + number);
  }
  return { chunks, ids: ids.length <= IDS_MAX ? ids : undefined };
}

async function findByWords(
  db: Db,
  kind: Database['kind'],
  { no, span, terms: words }: CollectionQuery,
  { limit, needsAll }: CandidateQuery,
  allowed: Allowed | undefined,
): Promise<TextScored[]> {
  if (words.length === 0) return [];
  const rowsMax = ROWS_MAX[kind];
  const counts = await countTerms(db, kind, [...new Set(words.flat())], rowsMax);
  if (needsAll && words.some((forms) => forms.every((form) => !counts.get(form)))) return [];
  const terms = await weigh(
    db,
    kind,
    needsAll ? [...counts] : chooseTerms(counts, span, rowsMax),
    span,
    rarityOfAll(words, counts, span),
  );
  const first = firstIdOf(no);
  const wanted = allowed && !allowed.ids ? limit * FILTERED_FACTOR : limit;
  const must = needsAll ? words : undefined;
  const ranked = await rankText(db, kind, terms, { limit: wanted, rowsMax, ids: allowed?.ids, must });
  return ranked.filter(({ id }) => !allowed || allowed.chunks[id - first] === 1).slice(0, limit);
}

/** Rare terms first, as many as the budget of rows has room for. */
function chooseTerms(counts: Map<string, number>, span: number, rowsMax: number): [string, number][] {
  const known = [...counts].filter(([, count]) => count > 0).sort((a, b) => a[1] - b[1]);
  const common = Math.max(COMMON_MIN, span * COMMON_SHARE);
  const chosen: [string, number][] = [];
  let rows = 0;
  for (const [term, count] of known) {
    if (chosen.length > 0 && (count > common || rows + count > rowsMax)) break;
    chosen.push([term, count]);
    rows += count;
  }
  return chosen;
}

const rarityOf = (count: number, span: number) => Math.log(1 + (Math.max(span, count) - count + 0.5) / (count + 0.5));

/** Of the whole query. A word that no chunk has is the rarest: a query in another language has hardly any other. */
function rarityOfAll(words: string[][], counts: Map<string, number>, span: number): number {
  const countOf = (forms: string[]) => Math.max(...forms.map((form) => counts.get(form) ?? 0));
  return words.reduce((sum, forms) => sum + rarityOf(countOf(forms), span), 0);
}

/** By their rarity in this collection. FTS5's own weight counts all collections, and is divided out. */
async function weigh(
  db: Db,
  kind: Database['kind'],
  counts: [string, number][],
  span: number,
  whole: number,
): Promise<WeighedTerm[]> {
  const rows = kind === 'sqlite' ? await countRows(db) : 0;
  return counts
    .filter(([, count]) => count > 0)
    .map(([term, count]) => {
      const rarity = rarityOf(count, span);
      const theirs = Math.log((rows - count + 0.5) / (count + 0.5));
      const weight = kind === 'sqlite' ? rarity / (theirs > 0 ? theirs : 1e-6) : rarity;
      return { term, weight, share: rarity / whole };
    });
}

async function findByMeaning(
  db: Db,
  { no, span }: CollectionQuery,
  set: SetQuery,
  limit: number,
  allowed: Allowed | undefined,
): Promise<Scored[]> {
  if (allowed?.ids) return rescore(db, set, allowed.ids, limit);
  const wanted = Math.max(RESCORED_MIN, limit * RESCORED_FACTOR);
  const first = firstIdOf(no);
  if (set.isIndexed) {
    const nearest = await listNearest(db, set.no, set.vector, allowed ? wanted * 2 : limit * 2);
    return nearest.filter(({ id }) => !allowed || allowed.chunks[id - first] === 1).slice(0, limit);
  }
  const nearest = new NearestSigns(packSigns(set.vector), span, allowed?.chunks);
  for (let from = 0; ; ) {
    const blocks = await listBlocks(db, set.no, from, BLOCKS_PER_READ);
    for (const block of blocks) nearest.add(block.block_no, block);
    const last = blocks.at(-1);
    if (!last || blocks.length < BLOCKS_PER_READ) break;
    from = last.block_no + 1;
    // Where this is the thread of all requests, others get their turn.
    await nextTurn();
  }
  const ids = nearest.nearest(wanted).map((number) => first + number);
  return rescore(db, set, ids, limit);
}

/** Exactly, by the vectors themselves. */
async function rescore(db: Db, set: SetQuery, ids: number[], limit: number): Promise<Scored[]> {
  const scored: Scored[] = [];
  for (let i = 0; i < ids.length; i += 500) {
    for (const { id, vector } of await readVectors(db, set.no, ids.slice(i, i + 500)))
      scored.push({ id, score: similarity(set.vector, decodeVector(vector)) });
  }
  return scored.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, limit);
}
