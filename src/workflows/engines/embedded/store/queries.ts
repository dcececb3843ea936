import type { QueryTask } from '../../../../../packages/workflows/src/protocol.ts';
import type { Db } from '../../../../kit/db/index.ts';
import type { Outcome } from '../tables.ts';

type NewQuery = {
  query_id: string;
  workspace_id: string;
  deployment_name: string;
  task: QueryTask;
  created_ms: number;
};

/** Inserts a query, or offers it again if it is in the table. */
export async function offerQuery(db: Db, query: NewQuery): Promise<void> {
  await db
    .insertInto('workflow_queries')
    .values({ ...query, task: JSON.stringify(query.task), taken: false, outcome: null })
    .onConflict((conflict) => conflict.column('query_id').doUpdateSet({ taken: false }))
    .execute();
}

export async function findOutcome(db: Db, workspaceId: string, queryId: string): Promise<Outcome | undefined> {
  const row = await db
    .selectFrom('workflow_queries')
    .select('outcome')
    .where('query_id', '=', queryId)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row?.outcome ?? undefined;
}

export async function updateOutcome(db: Db, workspaceId: string, queryId: string, outcome: Outcome): Promise<void> {
  await db
    .updateTable('workflow_queries')
    .set({ outcome: JSON.stringify(outcome) })
    .where('query_id', '=', queryId)
    .where('workspace_id', '=', workspaceId)
    .execute();
}

/** Also for a query that was never in the table. */
export async function upsertOutcome(
  db: Db,
  query: { query_id: string; workspace_id: string; created_ms: number },
  outcome: Outcome,
): Promise<void> {
  const answer = { outcome: JSON.stringify(outcome) };
  await db
    .insertInto('workflow_queries')
    .values({ ...query, ...answer, deployment_name: '', task: '{}', taken: true })
    .onConflict((conflict) =>
      conflict.column('query_id').doUpdateSet(answer).where('workflow_queries.workspace_id', '=', query.workspace_id),
    )
    .execute();
}

/** Makes an unanswered query available to other workers. */
export function releaseQuery(db: Db, queryId: string) {
  return db
    .updateTable('workflow_queries')
    .set({ taken: false })
    .where('query_id', '=', queryId)
    .where('outcome', 'is', null)
    .returning(['workspace_id', 'deployment_name'])
    .executeTakeFirst();
}

export function listOffered(db: Db, workspaceId: string, deploymentName: string) {
  return db
    .selectFrom('workflow_queries')
    .select(['query_id', 'task'])
    .where('workspace_id', '=', workspaceId)
    .where('deployment_name', '=', deploymentName)
    .where('taken', '=', false)
    .execute();
}

/** False when another process has taken it. */
export async function takeQuery(db: Db, queryId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('workflow_queries')
    .set({ taken: true })
    .where('query_id', '=', queryId)
    .where('taken', '=', false)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteQuery(db: Db, queryId: string): Promise<void> {
  await db.deleteFrom('workflow_queries').where('query_id', '=', queryId).execute();
}

/** Deletes queries whose process died, and outcomes that came too late. */
export async function deleteQueries(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom('workflow_queries').where('created_ms', '<', beforeMs).execute();
}
