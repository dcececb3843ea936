import { sql } from 'kysely';
import {
  countFound,
  countListed,
  type Db,
  findPlace,
  isFrom,
  rowsOf,
  type Searched,
  type Tx,
} from '../../kit/db/index.ts';
import type { DatasetRow } from './tables.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const looksLikeId = (text: string): boolean => UUID.test(text);

/** By its id, or by its slug in the workspace. */
export function findDataset(db: Db, workspaceId: string, idOrSlug: string): Promise<DatasetRow | undefined> {
  const isId = looksLikeId(idOrSlug);
  return db
    .selectFrom('datasets')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where(isId ? 'id' : 'slug', '=', isId ? idOrSlug.toLowerCase() : idOrSlug)
    .executeTakeFirst();
}

/** For download links, in any workspace; the caller checks the signature. */
export function findDatasetById(db: Db, id: string): Promise<DatasetRow | undefined> {
  return db.selectFrom('datasets').selectAll().where('id', '=', id).executeTakeFirst();
}

export const searchedDatasets = (workspaceId: string): Searched => ({
  list: 'datasets',
  scope: { column: 'workspace_id', id: workspaceId },
  texts: ['folded'],
});

/** A text, and the datasets among which all that it finds are. */
type Search = { search: string | undefined; among: readonly string[] | undefined };

function filtered(db: Db, workspaceId: string, { search, among }: Search) {
  const query = rowsOf(db, 'datasets', among).where('workspace_id', '=', workspaceId);
  if (!search) return query;
  return query.where(({ eb, fn, val }) => eb(fn('replace', ['folded', val(search), val('')]), '<>', eb.ref('folded')));
}

const countedDatasets = (workspaceId: string) => ({ list: 'datasets', scope: workspaceId });

/** Newest first. */
export async function listDatasets(
  db: Db,
  workspaceId: string,
  search: Search,
  { limit, offset }: { limit: number; offset: number },
): Promise<DatasetRow[]> {
  const place = await findPlace(db, search.search ? undefined : countedDatasets(workspaceId), offset, 'desc');
  if (!place) return [];
  return filtered(db, workspaceId, search)
    .selectAll()
    .where(isFrom('created_at', place, 'desc'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(place.offset)
    .execute();
}

export async function countDatasets(db: Db, workspaceId: string, search: Search, pageEnd: number): Promise<number> {
  const of = countedDatasets(workspaceId);
  if (!search.search) return (await countListed(db, of)).amount;
  return countFound(db, filtered(db, workspaceId, search).select('id'), search.among, { of, pageEnd });
}

/** Those of these slugs that the workspace has. */
export async function listSlugs(db: Db, workspaceId: string, slugs: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('datasets')
    .select('slug')
    .where('workspace_id', '=', workspaceId)
    .where('slug', 'in', slugs)
    .execute();
  return new Set(rows.map(({ slug }) => slug));
}

export async function insertDataset(tx: Tx, row: DatasetRow): Promise<void> {
  await tx.insertInto('datasets').values(row).execute();
}

export async function updateDataset(
  tx: Tx,
  workspaceId: string,
  id: string,
  change: Pick<DatasetRow, 'name' | 'description' | 'folded' | 'updated_at'>,
): Promise<DatasetRow | undefined> {
  return tx
    .updateTable('datasets')
    .set(change)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Reserves the places of new records. Undefined when the dataset is gone or would have more than `recordsMax`. */
export async function takePositions(
  tx: Tx,
  workspaceId: string,
  id: string,
  { count, recordsMax, updated_at }: { count: number; recordsMax: number; updated_at: string },
): Promise<number | undefined> {
  const row = await tx
    .updateTable('datasets')
    .set({
      next_position: sql`next_position + ${count}`,
      record_count: sql`record_count + ${count}`,
      updated_at,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('record_count', '<=', recordsMax - count)
    .returning('next_position')
    .executeTakeFirst();
  return row && Number(row.next_position) - count;
}

export async function subtractRecords(tx: Tx, workspaceId: string, id: string, count: number, updated_at: string) {
  await tx
    .updateTable('datasets')
    .set({ record_count: sql`record_count - ${count}`, updated_at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Without its records, which are deleted later, in parts. */
export async function deleteDataset(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('datasets')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
