import type { Db, Tx } from '../../../../kit/db/index.ts';
import type { Outcome } from '../tables.ts';

export async function insertUpdate(
  tx: Tx,
  update: { update_id: string; run_id: string; created_ms: number },
): Promise<void> {
  await tx
    .insertInto('workflow_updates')
    .values({ ...update, outcome: null })
    .execute();
}

export async function updateOutcome(tx: Tx, updateId: string, runId: string, outcome: Outcome): Promise<void> {
  await tx
    .updateTable('workflow_updates')
    .set({ outcome: JSON.stringify(outcome) })
    .where('update_id', '=', updateId)
    .where('run_id', '=', runId)
    .execute();
}

/** The outcome of an update and the status of its run. */
export function findUpdate(db: Db, updateId: string) {
  return db
    .selectFrom('workflow_updates')
    .innerJoin('workflow_runs', 'workflow_runs.run_id', 'workflow_updates.run_id')
    .select(['outcome', 'status'])
    .where('update_id', '=', updateId)
    .executeTakeFirst();
}

export async function deleteUpdate(db: Db, updateId: string): Promise<void> {
  await db.deleteFrom('workflow_updates').where('update_id', '=', updateId).execute();
}
