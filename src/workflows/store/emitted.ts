import type { Db, Tx } from '../../kit/db/index.ts';

const KEYS_PER_QUERY = 500;

/** False when the run has published under this key before. */
export async function insertEmitted(tx: Tx, runId: string, key: string): Promise<boolean> {
  const row = await tx
    .insertInto('workflow_emitted')
    .values({ run_id: runId, key })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst();
  return row !== undefined;
}

/** Those of the keys under which the run has published. */
export async function listEmitted(db: Db, runId: string, keys: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (let at = 0; at < keys.length; at += KEYS_PER_QUERY) {
    const rows = await db
      .selectFrom('workflow_emitted')
      .select('key')
      .where('run_id', '=', runId)
      .where('key', 'in', keys.slice(at, at + KEYS_PER_QUERY))
      .execute();
    for (const { key } of rows) found.add(key);
  }
  return found;
}
