import type { Db } from '../../kit/db/index.ts';

export type FineTunedRow = {
  id: string;
  workspace_id: string;
  /** Its base model. */
  root: string;
  /** Weights of its own, or an adapter over those of the base. */
  file: string | null;
  adapter: string | null;
  name: string | null;
  description: string | null;
  job: string;
  archived: boolean;
  created: number;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    fine_tuned_models: FineTunedRow;
  }
}

export function listFineTuned(db: Db): Promise<FineTunedRow[]> {
  return db.selectFrom('fine_tuned_models').selectAll().orderBy('created').orderBy('id').execute();
}

export async function insertFineTuned(db: Db, row: FineTunedRow): Promise<void> {
  await db.insertInto('fine_tuned_models').values(row).execute();
}

export async function updateFineTuned(
  db: Db,
  workspaceId: string,
  id: string,
  changes: Partial<Pick<FineTunedRow, 'name' | 'description' | 'archived'>>,
) {
  return db
    .updateTable('fine_tuned_models')
    .set(changes)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteFineTuned(db: Db, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('fine_tuned_models')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
