import { sql } from 'kysely';
import { type Database, type Db, lockFor, type Tx } from '../../kit/db/index.ts';
import { CHUNKS_PER_COLLECTION } from '../schema/chunk.ts';
import type { CollectionRow, SetRow } from './tables.ts';

export type CollectionRef = { workspaceId: string; collectionId: string };

export function findCollection(db: Db, ref: CollectionRef): Promise<CollectionRow | undefined> {
  return db
    .selectFrom('search_collections')
    .selectAll()
    .where('workspace_id', '=', ref.workspaceId)
    .where('collection_id', '=', ref.collectionId)
    .where('is_removed', '=', false)
    .executeTakeFirst();
}

/** A collection with the set that its searches use. */
export type SearchedCollection = CollectionRow & { set: SetRow | undefined };

export async function findSearched(db: Db, ref: CollectionRef): Promise<SearchedCollection | undefined> {
  const row = await db
    .selectFrom('search_collections as c')
    .leftJoin('search_sets as s', (join) => join.onRef('s.collection_no', '=', 'c.no').on('s.state', '=', 'live'))
    .selectAll('c')
    .select(['s.no as set_no', 's.model as set_model', 's.dimensions', 's.nearest'])
    .where('c.workspace_id', '=', ref.workspaceId)
    .where('c.collection_id', '=', ref.collectionId)
    .where('c.is_removed', '=', false)
    .executeTakeFirst();
  if (!row) return undefined;
  const { set_no, set_model, dimensions, nearest, ...collection } = row;
  if (set_no === null || set_model === null) return { ...collection, set: undefined };
  const set = { no: set_no, collection_no: collection.no, model: set_model, dimensions, nearest };
  return { ...collection, set: { ...set, state: 'live' } };
}

export function findCollectionByNo(db: Db, no: number): Promise<CollectionRow | undefined> {
  return db.selectFrom('search_collections').selectAll().where('no', '=', no).executeTakeFirst();
}

/** A page of the collections that are not removed, in the order of their numbers. */
export function listCollections(db: Db, afterNo: number, limit: number): Promise<CollectionRow[]> {
  return db
    .selectFrom('search_collections')
    .selectAll()
    .where('no', '>', afterNo)
    .where('is_removed', '=', false)
    .orderBy('no')
    .limit(limit)
    .execute();
}

export async function insertCollection(
  tx: Tx,
  kind: Database['kind'],
  row: Omit<CollectionRow, 'no' | 'next_chunk' | 'is_removed' | 'languages'>,
): Promise<CollectionRow> {
  await lockFor(tx, kind, 'search-collections');
  const again = await findCollection(tx, { workspaceId: row.workspace_id, collectionId: row.collection_id });
  if (again) return again;
  const { last } = await tx
    .selectFrom('search_collections')
    .select(({ fn }) => fn.max('no').as('last'))
    .executeTakeFirstOrThrow();
  const inserted: CollectionRow = { ...row, no: (last ?? 0) + 1, languages: [], next_chunk: 0, is_removed: false };
  await tx
    .insertInto('search_collections')
    .values({ ...inserted, languages: JSON.stringify([]) as unknown as string[] })
    .execute();
  return inserted;
}

/** Returns the first of `count` new chunk ids. */
export async function reserveChunks(tx: Tx, collectionNo: number, count: number): Promise<number | undefined> {
  const row = await tx
    .updateTable('search_collections')
    .set({ next_chunk: sql<number>`next_chunk + ${count}` })
    .where('no', '=', collectionNo)
    .where('is_removed', '=', false)
    .returning('next_chunk')
    .executeTakeFirst();
  return row && collectionNo * CHUNKS_PER_COLLECTION + row.next_chunk - count;
}

export async function updateLanguages(tx: Tx, collectionNo: number, languages: string[]): Promise<void> {
  await tx
    .updateTable('search_collections')
    .set({ languages: JSON.stringify(languages) as unknown as string[] })
    .where('no', '=', collectionNo)
    .execute();
}

/** Its id becomes free at once. */
export async function markRemoved(tx: Tx, no: number): Promise<void> {
  await tx
    .updateTable('search_collections')
    .set({ is_removed: true, collection_id: `removed-${no}` })
    .where('no', '=', no)
    .execute();
}

export async function deleteCollection(tx: Tx, no: number): Promise<void> {
  await tx.deleteFrom('search_collections').where('no', '=', no).execute();
}

export function listSets(db: Db, collectionNo: number): Promise<SetRow[]> {
  return db.selectFrom('search_sets').selectAll().where('collection_no', '=', collectionNo).orderBy('no').execute();
}

export function findSet(db: Db, no: number): Promise<SetRow | undefined> {
  return db.selectFrom('search_sets').selectAll().where('no', '=', no).executeTakeFirst();
}

/** The sets that have, or shall have, a table for pgvector. */
export function listIndexedSets(db: Db): Promise<SetRow[]> {
  return db.selectFrom('search_sets').selectAll().where('nearest', 'is not', null).execute();
}

export async function insertSet(
  tx: Tx,
  kind: Database['kind'],
  row: Omit<SetRow, 'no' | 'dimensions' | 'nearest'>,
): Promise<SetRow> {
  await lockFor(tx, kind, 'search-sets');
  const { last } = await tx
    .selectFrom('search_sets')
    .select(({ fn }) => fn.max('no').as('last'))
    .executeTakeFirstOrThrow();
  const inserted = { ...row, no: (last ?? 0) + 1, dimensions: null, nearest: null };
  await tx.insertInto('search_sets').values(inserted).execute();
  return inserted;
}

export async function updateSet(
  tx: Tx,
  no: number,
  changes: Partial<Pick<SetRow, 'state' | 'dimensions' | 'nearest'>>,
): Promise<void> {
  await tx.updateTable('search_sets').set(changes).where('no', '=', no).execute();
}

export async function deleteSet(tx: Tx, no: number): Promise<void> {
  await tx.deleteFrom('search_sets').where('no', '=', no).execute();
}
