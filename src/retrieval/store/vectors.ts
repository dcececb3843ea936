import { type Database, type Db, lockFor, rowWriter, type Tx } from '../../kit/db/index.ts';
import { CHUNKS_PER_COLLECTION } from '../schema/chunk.ts';
import { type Block, clearSlots, emptyBlock, isEmpty, SLOTS_PER_BLOCK, setSlot } from './blocks.ts';

export type NewVector = { id: number; vector: Uint8Array; signs: Uint32Array };
export type StoredBlock = Block & { block_no: number };

const numberOf = (id: number): number => id % CHUNKS_PER_COLLECTION;

/** Writers of one set take turns until their transactions end. */
export function lockSet(tx: Tx, kind: Database['kind'], setNo: number): Promise<void> {
  return lockFor(tx, kind, `search-set-${setNo}`);
}

/** Adds vectors that the set does not have yet; the caller holds its lock. */
export async function insertVectors(
  tx: Tx,
  kind: Database['kind'],
  set: { no: number; dimensions: number },
  vectors: NewVector[],
): Promise<void> {
  const write = rowWriter(kind, 'search_vectors', ['set_no', 'id', 'vector'], 'on conflict do nothing');
  await write(
    tx,
    vectors.map(({ id, vector }) => [set.no, id, Buffer.from(vector)]),
  );
  for (const [blockNo, members] of groupByBlock(vectors)) {
    const block = (await findBlock(tx, set.no, blockNo)) ?? emptyBlock(set.dimensions);
    for (const { id, signs } of members) setSlot(block, numberOf(id) % SLOTS_PER_BLOCK, signs);
    await writeBlock(tx, set.no, blockNo, block);
  }
}

function groupByBlock(vectors: NewVector[]): Map<number, NewVector[]> {
  return Map.groupBy(vectors, ({ id }) => Math.floor(numberOf(id) / SLOTS_PER_BLOCK));
}

/** Removes those of neighbouring chunk ids. */
export async function deleteVectors(
  tx: Tx,
  kind: Database['kind'],
  setNo: number,
  firstId: number,
  count: number,
): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('search_vectors')
    .where('set_no', '=', setNo)
    .where('id', '>=', firstId)
    .where('id', '<', firstId + count)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return;
  await lockSet(tx, kind, setNo);
  const first = numberOf(firstId);
  const end = first + count;
  for (let blockNo = Math.floor(first / SLOTS_PER_BLOCK); blockNo * SLOTS_PER_BLOCK < end; blockNo++) {
    const block = await findBlock(tx, setNo, blockNo);
    if (!block) continue;
    const start = blockNo * SLOTS_PER_BLOCK;
    clearSlots(block, Math.max(0, first - start), Math.min(SLOTS_PER_BLOCK, end - start));
    if (isEmpty(block))
      await tx.deleteFrom('search_blocks').where('set_no', '=', setNo).where('block_no', '=', blockNo).execute();
    else await writeBlock(tx, setNo, blockNo, block);
  }
}

async function findBlock(tx: Tx, setNo: number, blockNo: number): Promise<Block | undefined> {
  const row = await tx
    .selectFrom('search_blocks')
    .select(['present', 'bits'])
    .where('set_no', '=', setNo)
    .where('block_no', '=', blockNo)
    .executeTakeFirst();
  return row && { present: new Uint8Array(row.present), bits: new Uint8Array(row.bits) };
}

async function writeBlock(tx: Tx, setNo: number, blockNo: number, block: Block): Promise<void> {
  const present = Buffer.from(block.present);
  const bits = Buffer.from(block.bits);
  await tx
    .insertInto('search_blocks')
    .values({ set_no: setNo, block_no: blockNo, present, bits })
    .onConflict((conflict) => conflict.columns(['set_no', 'block_no']).doUpdateSet({ present, bits }))
    .execute();
}

export function listBlocks(db: Db, setNo: number, fromNo: number, limit: number): Promise<StoredBlock[]> {
  return db
    .selectFrom('search_blocks')
    .select(['block_no', 'present', 'bits'])
    .where('set_no', '=', setNo)
    .where('block_no', '>=', fromNo)
    .orderBy('block_no')
    .limit(limit)
    .execute();
}

export function readVectors(db: Db, setNo: number, ids: number[]): Promise<{ id: number; vector: Uint8Array }[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('search_vectors')
    .select(['id', 'vector'])
    .where('set_no', '=', setNo)
    .where('id', 'in', ids)
    .execute();
}

/** Some vectors of a set, for its removal in steps. False when there was none left. */
export async function deleteSetVectors(tx: Tx, setNo: number, limit: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('search_vectors')
    .where('set_no', '=', setNo)
    .where('id', 'in', (from) =>
      from.selectFrom('search_vectors').select('id').where('set_no', '=', setNo).orderBy('id').limit(limit),
    )
    .executeTakeFirst();
  if (numDeletedRows === 0n) await tx.deleteFrom('search_blocks').where('set_no', '=', setNo).execute();
  return numDeletedRows > 0n;
}

/** Counted up to a limit. */
export async function countVectors(db: Db, setNo: number, limit: number): Promise<number> {
  const rows = await db
    .selectFrom((from) =>
      from.selectFrom('search_vectors').select('id').where('set_no', '=', setNo).limit(limit).as('some'),
    )
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(rows.n);
}

/** In the order of their ids, for a copy in steps. */
export function listVectors(
  db: Db,
  setNo: number,
  afterId: number,
  limit: number,
): Promise<{ id: number; vector: Uint8Array }[]> {
  return db
    .selectFrom('search_vectors')
    .select(['id', 'vector'])
    .where('set_no', '=', setNo)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}
