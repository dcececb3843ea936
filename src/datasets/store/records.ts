import {
  type Database,
  type Db,
  findPlace,
  inOrder,
  rowsOf,
  rowWriter,
  storedBytes,
  type Tx,
} from '../../kit/db/index.ts';
import type { RecordRow } from './tables.ts';

export type SizedRecord = { id: string; position: number; bytes: number };

const COLUMNS: readonly (keyof RecordRow)[] = [
  ...(['id', 'workspace_id', 'dataset_id', 'position', 'payload', 'properties', 'source'] as const),
  ...(['created_at', 'updated_at'] as const),
];

export function recordWriter(kind: Database['kind']): (tx: Tx, rows: readonly RecordRow[]) => Promise<void> {
  const write = rowWriter(kind, 'dataset_records', COLUMNS);
  return async (tx, rows) =>
    void (await write(
      tx,
      rows.map((row) => COLUMNS.map((column) => row[column])),
    ));
}

/** Only records whose dataset exists: those of a deleted one are on their way out. */
function alive(db: Db, workspaceId: string, among?: readonly string[]) {
  return rowsOf(db, 'dataset_records', among)
    .innerJoin('datasets', 'datasets.id', 'dataset_records.dataset_id')
    .selectAll('dataset_records')
    .where('dataset_records.workspace_id', '=', workspaceId);
}

export function findRecord(db: Db, workspaceId: string, id: string): Promise<RecordRow | undefined> {
  return alive(db, workspaceId).where('dataset_records.id', '=', id).executeTakeFirst();
}

/** In the order of the ids; those that are missing are left out. */
export async function listRecordsById(db: Db, workspaceId: string, ids: readonly string[]): Promise<RecordRow[]> {
  if (ids.length === 0) return [];
  const rows = await alive(db, workspaceId, ids).execute();
  return inOrder(ids, rows, ({ id }) => id);
}

/** As the counts of the list have them. */
const POSITIONS_IN_BLOCK = 1000;

/** What a page or the next part of a dataset has, without reading it. */
export async function listSizes(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  datasetId: string,
  { after = -1, limit, offset = 0 }: { after?: number; limit: number; offset?: number },
): Promise<SizedRecord[]> {
  const place = await findPlace(db, { list: 'dataset_records', scope: datasetId }, offset, 'asc');
  if (!place) return [];
  const first = place.block === undefined ? 0 : Number(place.block) * POSITIONS_IN_BLOCK;
  const rows = await db
    .selectFrom('dataset_records')
    .select(['id', 'position', storedBytes(kind, 'payload', 'properties').as('bytes')])
    .where('dataset_id', '=', datasetId)
    .where('position', '>', Math.max(after, first - 1))
    .orderBy('position')
    .limit(limit)
    .offset(place.offset)
    .execute();
  return rows.map(({ id, position, bytes }) => ({ id, position: Number(position), bytes: Number(bytes) }));
}

export async function updateRecord(
  tx: Tx,
  workspaceId: string,
  id: string,
  change: Partial<Pick<RecordRow, 'payload' | 'properties'>> & Pick<RecordRow, 'updated_at'>,
): Promise<void> {
  await tx
    .updateTable('dataset_records')
    .set(change)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Returns the datasets of the deleted records. */
export async function deleteRecords(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await tx
    .deleteFrom('dataset_records')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .returning('dataset_id')
    .execute();
  return rows.map(({ dataset_id }) => dataset_id);
}

/** A part of what a deleted dataset has left; whether there was any. */
export async function deleteSomeOf(tx: Tx, datasetId: string, limit: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('dataset_records')
    .where('id', 'in', (eb) =>
      eb.selectFrom('dataset_records').select('id').where('dataset_id', '=', datasetId).limit(limit),
    )
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
