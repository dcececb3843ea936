import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Db } from '../../kit/db/index.ts';
import { firstIdOf } from '../schema/chunk.ts';
import type { Filter } from '../schema/filter.ts';
import { NearestSigns } from '../store/blocks.ts';
import { decodeVector, packSigns, similarity } from '../store/encode-vectors.ts';
import { findAllowed } from '../store/filters.ts';
import { listNearest, NEAREST_MAX } from '../store/nearest.ts';
import { countRows, rankText, type Scored, type TextScored, type WeighedTerm } from '../store/text.ts';
import { listBlocks, readVectors } from '../store/vectors.ts';
import type { TermCounts } from './term-counts.ts';

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

/** `ids` where they are few. */
type Allowed = { chunks: Uint8Array; count: number; ids: number[] | undefined };

/** A filter that lets so few chunks through is given to the indexes as their ids. */
const IDS_MAX = 4000;
const BLOCKS_PER_READ = 16;
/** Signs find the nearest only roughly, so that many are compared exactly. */
const RESCORED_MIN = 200;
const RESCORED_FACTOR = 4;
const NEAREST_FACTOR = 2;
/** Terms of more chunks than this are left out where rarer ones are there. */
const COMMON_SHARE = 0.08;
const COMMON_MIN = 2000;
const ROWS_MAX = { sqlite: 20_000, postgres: 2500 };
const FILTERED_FACTOR = 20;

/** The best chunks by their words, and by their meaning. Reads much: on SQLite it runs in a thread. */
export async function findCandidates(
  db: Db,
  kind: Database['kind'],
  query: CandidateQuery,
  signal: AbortSignal,
  countTerms: TermCounts,
): Promise<Candidates> {
  const found: Candidates = { text: [], vector: [] };
  for (const collection of query.collections) {
    await pause(signal);
    const allowed = query.filter ? await findAllowedChunks(db, collection, query.filter) : undefined;
    if (allowed?.ids?.length === 0) continue;
    found.text.push(...(await findByWords(db, kind, collection, query, allowed, countTerms)));
    await pause(signal);
    if (collection.set)
      found.vector.push(...(await findByMeaning(db, collection, collection.set, query.limit, allowed, signal)));
  }
  const best = <S extends Scored>(list: S[]) =>
    list.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, query.limit);
  return { text: best(found.text), vector: best(found.vector) };
}

/** Others of this thread get their turn, and a search that nobody waits for ends. */
async function pause(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}

async function findAllowedChunks(db: Db, collection: CollectionQuery, filter: Filter): Promise<Allowed> {
  const chunks = await findAllowed(db, collection, filter);
  const first = firstIdOf(collection.no);
  const ids: number[] = [];
  let count = 0;
  for (let number = 0; number < chunks.length; number++) {
    if (chunks[number] === 1 && ++count <= IDS_MAX) ids.push(first + number);
  }
  return { chunks, count, ids: count <= IDS_MAX ? ids : undefined };
}

async function findByWords(
  db: Db,
  kind: Database['kind'],
  { no, span, terms: words }: CollectionQuery,
  { limit, needsAll }: CandidateQuery,
  allowed: Allowed | undefined,
  countTerms: TermCounts,
): Promise<TextScored[]> {
  if (words.length === 0) return [];
  const rowsMax = ROWS_MAX[kind];
  // How common a common word is does not matter: it is left out, or alone.
  const countMax = needsAll ? rowsMax : Math.min(rowsMax, commonOf(span) + 1);
  const counts = await countTerms(db, kind, [...new Set(words.flat())], countMax);
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

const commonOf = (span: number) => Math.max(COMMON_MIN, Math.ceil(span * COMMON_SHARE));

/** Rare terms first, as many as the budget of rows has room for. */
function chooseTerms(counts: Map<string, number>, span: number, rowsMax: number): [string, number][] {
  const known = [...counts].filter(([, count]) => count > 0).sort((a, b) => a[1] - b[1]);
  const common = commonOf(span);
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
  signal: AbortSignal,
): Promise<Scored[]> {
  if (allowed?.ids) return rescore(db, set, allowed.ids, limit);
  const first = firstIdOf(no);
  // An index does not know the filter: as many more are asked of it as the filter keeps out.
  const nearestWanted = Math.ceil((limit * NEAREST_FACTOR * span) / (allowed?.count ?? span));
  if (set.isIndexed && nearestWanted <= NEAREST_MAX) {
    const found = await listNearest(db, set.no, set.vector, nearestWanted);
    const nearest = found.filter(({ id }) => !allowed || allowed.chunks[id - first] === 1).slice(0, limit);
    if (!allowed || nearest.length === limit) return nearest;
  }
  const wanted = Math.max(RESCORED_MIN, limit * RESCORED_FACTOR);
  const nearest = new NearestSigns(packSigns(set.vector), span, allowed?.chunks);
  for (let from = 0; ; ) {
    const blocks = await listBlocks(db, set.no, from, BLOCKS_PER_READ);
    for (const block of blocks) nearest.add(block.block_no, block);
    const last = blocks.at(-1);
    if (!last || blocks.length < BLOCKS_PER_READ) break;
    from = last.block_no + 1;
    await pause(signal);
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
