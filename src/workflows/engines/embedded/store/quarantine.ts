import { type SqlBool, sql } from 'kysely';
import type { Db, Tx } from '../../../../kit/db/index.ts';
import { OPEN_STATUSES } from '../../../schema/statuses.ts';
import '../tables.ts';

/** Where clients see that a run is set aside: it is still running, and nothing else shows why it stands still. */
export const QUARANTINE_KEY = 'internal.execution.quarantined';

const LISTED_MAX = 1000;

/** Executions that are set aside, the newest first; of one workspace, or of all. */
export function listQuarantined(db: Db, workspaceId?: string) {
  return db
    .selectFrom('workflow_runs')
    .select(['run_id', 'execution_id', 'workflow_name', 'organization_id', 'workspace_id', 'deaths'])
    .select(['quarantine_reason', 'quarantined_at'])
    .where('quarantined_at', 'is not', null)
    .$if(workspaceId !== undefined, (query) => query.where('workspace_id', '=', workspaceId ?? ''))
    .orderBy('quarantined_at', 'desc')
    .limit(LISTED_MAX)
    .execute();
}

export async function countQuarantined(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('workflow_runs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('quarantined_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

type Deployment = { workspaceId: string; deploymentName: string };

/** Whether a worker has a run or a step that two others did not survive. One that lasts may be passed by. */
export async function hasSuspectInHand(db: Db, of: Deployment, begunAfterMs: number): Promise<boolean> {
  const run = await db
    .selectFrom('workflow_runs')
    .select('run_id')
    .where('workspace_id', '=', of.workspaceId)
    .where('deployment_name', '=', of.deploymentName)
    // Literal text, not a parameter: the planner uses the partial index only if it sees the condition.
    .where(sql<SqlBool>`deaths > 1`)
    .where('lease_worker', 'is not', null)
    .where('turn_scheduled_id', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (run) return true;
  // Of a run with deaths also the steps that were not lost: a worker is lost with its run and all of its steps.
  const stepOfRun = await db
    .selectFrom('workflow_runs as run')
    .innerJoin('workflow_steps as step', 'step.run_id', 'run.run_id')
    .select('run.run_id')
    .where('run.workspace_id', '=', of.workspaceId)
    .where('run.deployment_name', '=', of.deploymentName)
    .where(sql<SqlBool>`run.deaths > 1`)
    .where('step.lease_worker', 'is not', null)
    .where('step.started_ms', '>', begunAfterMs)
    .limit(1)
    .executeTakeFirst();
  if (stepOfRun) return true;
  const step = await db
    .selectFrom('workflow_steps')
    .select('run_id')
    .where('workspace_id', '=', of.workspaceId)
    .where('deployment_name', '=', of.deploymentName)
    .where(sql<SqlBool>`lost_leases > 1`)
    .where('lease_worker', 'is not', null)
    .where('started_ms', '>', begunAfterMs)
    .limit(1)
    .executeTakeFirst();
  return step !== undefined;
}

/** Timers of a run that no server may look at are due at the end of time. */
const PARKED_MS = 4e15;

/** Sets a run aside without reading it, and all that would wake it. Undefined if it has ended. */
export async function parkRun(tx: Tx, runId: string, parked: { at: string; deaths: number; reason: string }) {
  const row = await tx
    .updateTable('workflow_runs')
    .set(({ eb }) => ({
      version: eb('version', '+', 1),
      deaths: parked.deaths,
      quarantined_at: parked.at,
      quarantine_reason: parked.reason,
      ...{ ready_ms: null, due_ms: null, lease_worker: null, lease_until_ms: null },
    }))
    .where('run_id', '=', runId)
    .where('status', 'in', OPEN_STATUSES)
    .returning(['organization_id', 'workspace_id', 'execution_id', 'run_id', 'deaths', 'quarantine_reason'])
    .executeTakeFirst();
  if (!row) return undefined;
  await tx.updateTable('workflow_steps').set({ ready_ms: null, due_ms: null }).where('run_id', '=', runId).execute();
  await tx
    .updateTable('workflow_timers')
    .set(({ eb }) => ({ due_ms: eb('due_ms', '+', PARKED_MS) }))
    .where('run_id', '=', runId)
    .where('due_ms', '<', PARKED_MS)
    .execute();
  const key = { run_id: runId, workspace_id: row.workspace_id, key: QUARANTINE_KEY, value: parked.reason };
  await tx
    .insertInto('workflow_search_keys')
    .values(key)
    .onConflict((conflict) => conflict.columns(['run_id', 'key']).doUpdateSet({ value: parked.reason }))
    .execute();
  return row;
}

export async function unparkTimers(tx: Tx, runId: string): Promise<void> {
  await tx
    .updateTable('workflow_timers')
    .set(({ eb }) => ({ due_ms: eb('due_ms', '-', PARKED_MS) }))
    .where('run_id', '=', runId)
    .where('due_ms', '>=', PARKED_MS)
    .execute();
}
