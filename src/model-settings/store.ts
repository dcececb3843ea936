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

export type AdapterRow = { id: string; filename: string; sha256: string; bytes: number; created_at: string };

declare module '../kit/db/tables.ts' {
  interface Tables {
    model_adapters: AdapterRow;
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

export function listAdapters(db: Db): Promise<AdapterRow[]> {
  return db.selectFrom('model_adapters').selectAll().orderBy('created_at').orderBy('id').execute();
}

export function findAdapter(db: Db, id: string): Promise<AdapterRow | undefined> {
  return db.selectFrom('model_adapters').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function insertAdapter(tx: Tx, row: AdapterRow): Promise<void> {
  await tx.insertInto('model_adapters').values(row).execute();
}

export async function deleteAdapter(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('model_adapters').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
