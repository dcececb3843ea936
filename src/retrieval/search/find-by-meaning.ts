import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../../kit/db/index.ts';
import { firstIdOf } from '../schema/chunk.ts';
import { NearestSigns } from '../store/blocks.ts';
import { decodeVector, packSigns, similarity } from '../store/encode-vectors.ts';
import { compareNearest, listNearest, NEAREST_MAX } from '../store/nearest.ts';
import type { Scored } from '../store/text.ts';
import { listBlocks, readVectors } from '../store/vectors.ts';
import { type Allowed, idsOf, isAllowed, runsOf } from './allowed-chunks.ts';
import type { CollectionQuery, SetQuery } from './candidate-query.ts';

/** A filter that lets so few chunks through has all of them compared exactly. PostgreSQL does that itself. */
const COMPARED_MAX = { here: 4000, indexed: 12_000 };
const BLOCKS_PER_READ = 16;
/** Signs find the nearest only roughly, so that many are compared exactly. */
const RESCORED_MIN = 200;
const RESCORED_FACTOR = 4;
/** So many more than are wanted are taken from an index of pgvector. */
const NEAREST_FACTOR = 2;

export type MeaningQuery = { limit: number; allowed: Allowed | undefined; signal: AbortSignal };

/** The chunks whose vectors are nearest to the query's. */
export async function findByMeaning(
  db: Db,
  { no, span }: CollectionQuery,
  set: SetQuery,
  { limit, allowed, signal }: MeaningQuery,
): Promise<Scored[]> {
  const { index } = set;
  if (allowed && allowed.count <= COMPARED_MAX[index ? 'indexed' : 'here'])
    return index
      ? compareNearest(db, set.no, set.vector, runsOf(allowed), limit)
      : rescore(db, set, idsOf(allowed), limit);
  // An index does not know the filter: as many more are asked of it as the filter keeps out.
  const share = (allowed?.count ?? span) / span;
  const nearestWanted = index && Math.ceil((limit * NEAREST_FACTOR) / share);
  if (index && nearestWanted && nearestWanted <= NEAREST_MAX) {
    const found = await listNearest(db, { ...set, index }, nearestWanted);
    const nearest = found.filter(({ id }) => !allowed || isAllowed(allowed, id)).slice(0, limit);
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
  const first = firstIdOf(no);
  const ids = nearest.nearest(wanted).map((number) => first + number);
  return rescore(db, set, ids, limit);
}

/** Others of this thread get their turn, and a search that nobody waits for ends. */
export async function pause(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
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
