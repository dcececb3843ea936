import { countListed, type Db, findPlace, isFrom, type Tx } from '../../kit/db/index.ts';
import type { ImportRow } from './tables.ts';

type Place = { workspaceId: string; datasetId: string };

function ofDataset(db: Db, { workspaceId, datasetId }: Place) {
  return db.selectFrom('dataset_imports').where('workspace_id', '=', workspaceId).where('dataset_id', '=', datasetId);
}

export function findImport(db: Db, place: Place, id: string): Promise<ImportRow | undefined> {
  return ofDataset(db, place).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Newest first. */
const countedImports = ({ datasetId }: Place) => ({ list: 'dataset_imports', scope: datasetId });

export async function listImports(
  db: Db,
  place: Place,
  { limit, offset }: { limit: number; offset: number },
): Promise<ImportRow[]> {
  const start = await findPlace(db, countedImports(place), offset, 'desc');
  if (!start) return [];
  return ofDataset(db, place)
    .selectAll()
    .where(isFrom('created_at', start, 'desc'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(start.offset)
    .execute();
}

export async function countImports(db: Db, place: Place, status?: ImportRow['status']): Promise<number> {
  const accepts = ([its]: readonly string[]) => !status || its === status;
  return (await countListed(db, { ...countedImports(place), accepts })).amount;
}

export async function insertImport(tx: Tx, row: ImportRow): Promise<void> {
  await tx.insertInto('dataset_imports').values(row).execute();
}

/** Only while nobody else went on with it; whether it was so. */
export async function updateImport(
  tx: Tx,
  { id, taken_count }: Pick<ImportRow, 'id' | 'taken_count'>,
  change: Partial<ImportRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('dataset_imports')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'RUNNING')
    .where('taken_count', '=', taken_count)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteImports(tx: Tx, datasetId: string): Promise<void> {
  await tx.deleteFrom('dataset_imports').where('dataset_id', '=', datasetId).execute();
}
