import { type SqlBool, sql } from 'kysely';
import { type Db, isBeyond } from '../../kit/db/index.ts';
import { type ExecutionStatus, hasEnded } from '../schema/statuses.ts';
import type { RunRow } from './run-tables.ts';
import { findFirstOfTree } from './trees.ts';

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
  { rootExecutionId, executionId }: { rootExecutionId: string; executionId?: string | undefined },
): Promise<boolean> {
  const row =
    executionId === undefined
      ? await findFirstOfTree(db, { workspace_id: workspaceId, root_execution_id: rootExecutionId })
      : // A run that another one has followed is over.
        await db
          .selectFrom('workflow_runs')
          .select('status')
          .where('workspace_id', '=', workspaceId)
          .where('execution_id', '=', executionId)
          .where(sql<SqlBool>`is_latest`)
          .executeTakeFirst();
  return row !== undefined && !hasEnded(row.status);
}

export async function isRoot(db: Db, workspaceId: string, executionId: string): Promise<boolean> {
  return (await findFirstOfTree(db, { workspace_id: workspaceId, root_execution_id: executionId })) !== undefined;
}

const PLACE = ['started_at', 'run_id'] as const;

export type RootPosition = { started_at: string; run_id: string };

export type Root = RootPosition & { execution_id: string };

/** Runs that are not roots are passed by in steps: SQLite answers at once, and nobody else would be served meanwhile. */
const PASSED_MAX = 5000;

/**
 * Root executions in the order of their first run: those among the next runs, and where the runs after these begin. An id that
 * was reused or reset has several runs, of which the first one counts. Few runs are looked at for it: PostgreSQL would compare all.
 * The `|| ''` keeps SQLite from looking for earlier runs among all runs of the tree.
 */
export async function listRoots(
  db: Db,
  workspaceId: string,
  after: RootPosition | undefined,
  limit: number,
  passed = PASSED_MAX,
): Promise<{ roots: Root[]; next: RootPosition | undefined }> {
  const runs = db
    .selectFrom('workflow_runs')
    .select(['started_at', 'run_id'])
    .where('workspace_id', '=', workspaceId)
    .$if(after !== undefined, (query) =>
      query.where(isBeyond('asc', PLACE, [after?.started_at ?? '', after?.run_id ?? ''])),
    )
    .orderBy('started_at')
    .orderBy('run_id');
  const end = await runs
    .offset(passed - 1)
    .limit(1)
    .executeTakeFirst();
  const next = runs
    .select('execution_id')
    .whereRef('execution_id', '=', 'root_execution_id')
    .$if(end !== undefined, (query) =>
      query.where(sql<SqlBool>`(started_at, run_id) <= (${end?.started_at}, ${end?.run_id})`),
    )
    .limit(limit);
  const found = await db
    .selectFrom(next.as('r'))
    .select(['r.started_at', 'r.run_id', 'r.execution_id'])
    .select(
      sql<SqlBool>`exists (select 1 from workflow_runs as e where e.workspace_id = ${workspaceId}
        and e.execution_id = r.execution_id and not e.is_latest and e.root_execution_id || '' = r.execution_id
        and (e.started_at, e.run_id) < (r.started_at, r.run_id))`.as('is_later'),
    )
    .orderBy('r.started_at')
    .orderBy('r.run_id')
    .execute();
  return {
    roots: found.filter(({ is_later }) => !is_later).map(({ is_later: _, ...root }) => root),
    next: found.length < limit ? end : found.at(-1),
  };
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
