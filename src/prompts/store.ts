import type { Db, Tx } from '../kit/db/index.ts';

declare module '../kit/db/tables.ts' {
  interface Tables {
    prompt_models: { object_id: string; model: string };
  }
}

export async function findModel(db: Db, workspaceId: string, promptId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('prompt_models')
    .innerJoin('versioned_objects', 'versioned_objects.id', 'prompt_models.object_id')
    .select('prompt_models.model')
    .where('prompt_models.object_id', '=', promptId)
    .where('versioned_objects.workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row?.model;
}

export async function upsertModel(tx: Tx, promptId: string, model: string): Promise<void> {
  await tx
    .insertInto('prompt_models')
    .values({ object_id: promptId, model })
    .onConflict((conflict) => conflict.column('object_id').doUpdateSet({ model }))
    .execute();
}

export async function deleteModel(tx: Tx, promptId: string): Promise<void> {
  await tx.deleteFrom('prompt_models').where('object_id', '=', promptId).execute();
}
