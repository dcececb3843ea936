import type { Tx } from '../../kit/db/index.ts';

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
