import { type SqlBool, sql } from 'kysely';
import { type Db, isBeyond } from '../../kit/db/index.ts';
import { type ExecutionStatus, OPEN_STATUSES } from '../schema/statuses.ts';
import type { RunRow } from './run-tables.ts';

/** Workflows with an execution in one of these states. */
export async function listWorkflowsWithStatus(
  db: Db,
  workspaceId: string,
  statuses: ExecutionStatus[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('workflow_runs')
    .select('workflow_id')
    .distinct()
    .where('workspace_id', '=', workspaceId)
    // Literal text, not a parameter: the planner uses the partial index only if it sees the condition.
    .where(sql<SqlBool>`is_latest = true`)
    .where('status', 'in', statuses)
    .execute();
  return rows.map(({ workflow_id }) => workflow_id);
}

/** Whether a run of the tree, or of one execution in it, is open. */
export async function hasOpenRun(
  db: Db,
  workspaceId: string,
  where: { rootExecutionId: string; executionId?: string | undefined },
): Promise<boolean> {
  let query = db
    .selectFrom('workflow_runs')
    .select('run_id')
    .where('workspace_id', '=', workspaceId)
    .where('root_execution_id', '=', where.rootExecutionId)
    .where('status', 'in', OPEN_STATUSES);
  if (where.executionId !== undefined) query = query.where('execution_id', '=', where.executionId);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

export async function isRoot(db: Db, workspaceId: string, executionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('workflow_runs')
    .select('run_id')
    .where('workspace_id', '=', workspaceId)
    .where('root_execution_id', '=', executionId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export type RootPosition = { started_at: string; run_id: string };

/** Root executions in the order of their first run. */
export function listRoots(
  db: Db,
  workspaceId: string,
  after: RootPosition | undefined,
  limit: number,
): Promise<(RootPosition & { execution_id: string })[]> {
  let query = db
    .selectFrom('workflow_runs as r')
    .select(['r.started_at', 'r.run_id', 'r.execution_id'])
    .where('r.workspace_id', '=', workspaceId)
    .whereRef('r.execution_id', '=', 'r.root_execution_id')
    // An id that was reused or reset has several runs; the first determines the position.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('workflow_runs as e')
            .select('e.run_id')
            .whereRef('e.workspace_id', '=', 'r.workspace_id')
            .whereRef('e.execution_id', '=', 'r.execution_id')
            .where((earlier) =>
              earlier.or([
                earlier('e.started_at', '<', earlier.ref('r.started_at')),
                earlier.and([
                  earlier('e.started_at', '=', earlier.ref('r.started_at')),
                  earlier('e.run_id', '<', earlier.ref('r.run_id')),
                ]),
              ]),
            ),
        ),
      ),
    );
  if (after) query = query.where(isBeyond('asc', ['r.started_at', 'r.run_id'], [after.started_at, after.run_id]));
  return query.orderBy('r.started_at').orderBy('r.run_id').limit(limit).execute();
}

export async function findSearchKeys(db: Db, workspaceId: string, runId: string): Promise<Record<string, string>> {
  const rows = await db
    .selectFrom('workflow_search_keys')
    .select(['key', 'value'])
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .orderBy('key')
    .execute();
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

export function findRunRow(db: Db, workspaceId: string, runId: string): Promise<RunRow | undefined> {
  return db
    .selectFrom('workflow_runs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .executeTakeFirst();
}
