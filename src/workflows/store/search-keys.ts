import type { Db, Tx } from '../../kit/db/index.ts';

export async function listSearchKeys(db: Db, workspaceId: string, runId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('workflow_search_keys')
    .select('key')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .execute();
  return rows.map(({ key }) => key);
}

export async function upsertSearchKeys(
  tx: Tx,
  run: { workspace_id: string; run_id: string },
  keys: [key: string, value: string][],
): Promise<void> {
  const { workspace_id, run_id } = run;
  for (const [key, value] of keys)
    await tx
      .insertInto('workflow_search_keys')
      .values({ workspace_id, run_id, key, value })
      .onConflict((conflict) => conflict.columns(['run_id', 'key']).doUpdateSet({ value }))
      .execute();
}

/** Returns the keys that existed. */
export async function deleteSearchKeys(
  tx: Tx,
  { workspace_id, run_id }: { workspace_id: string; run_id: string },
  keys: string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await tx
    .deleteFrom('workflow_search_keys')
    .where('workspace_id', '=', workspace_id)
    .where('run_id', '=', run_id)
    .where('key', 'in', keys)
    .returning('key')
    .execute();
  return rows.map(({ key }) => key).sort();
}
