import type { Db, Tx } from '../kit/db/index.ts';

export type StoredModelRow = {
  id: string;
  /** JSON without keys. Text, so that a row that cannot be read harms no other. */
  settings: string;
  /** The keys of its servers, in their order, encrypted. */
  sealed_keys: string | null;
  created_at: string;
  updated_at: string;
};

declare module '../kit/db/tables.ts' {
  interface Tables {
    stored_models: StoredModelRow;
  }
}

export function listStored(db: Db): Promise<StoredModelRow[]> {
  return db.selectFrom('stored_models').selectAll().orderBy('created_at').orderBy('id').execute();
}

export function findStored(db: Db, id: string): Promise<StoredModelRow | undefined> {
  return db.selectFrom('stored_models').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function insertStored(tx: Tx, row: StoredModelRow): Promise<void> {
  await tx.insertInto('stored_models').values(row).execute();
}

export async function updateStored(
  db: Db,
  id: string,
  change: Partial<Omit<StoredModelRow, 'created_at'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('stored_models').set(change).where('id', '=', id).executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteStored(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('stored_models').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
