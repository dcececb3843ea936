import { sql } from 'kysely';
import type { Database, Db } from '../../kit/db/index.ts';
import { isOfWorkflow } from './list-runs.ts';

export type MetricsWindow = { workspaceId: string; workflowId: string; from: string; to: string };

type Kind = Database['kind'];

const epochSeconds = (kind: Kind, column: string) =>
  kind === 'postgres'
    ? sql<number>`extract(epoch from ${sql.ref(column)}::timestamptz)::double precision`
    : sql<number>`((julianday(${sql.ref(column)}) - 2440587.5) * 86400)`;

const latencyMs = (kind: Kind) =>
  sql<number>`(${epochSeconds(kind, 'ended_at')} - ${epochSeconds(kind, 'started_at')}) * 1000`;

const runsIn = (db: Db, { workspaceId, workflowId, from, to }: MetricsWindow) =>
  db
    .selectFrom('workflow_runs')
    .where(isOfWorkflow(workspaceId, workflowId))
    .where('started_at', '>=', from)
    .where('started_at', '<=', to);

export async function findFirstStart(db: Db, workspaceId: string, workflowId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('workflow_runs')
    .select((eb) => eb.fn.min('started_at').as('first'))
    .where(isOfWorkflow(workspaceId, workflowId))
    .executeTakeFirst();
  return row?.first ?? undefined;
}

export async function countByStatus(db: Db, window: MetricsWindow): Promise<Map<string, number>> {
  const rows = await runsIn(db, window)
    .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute();
  return new Map(rows.map(({ status, count }) => [status, Number(count)]));
}

/** Average latency of completed runs, by start time. */
export async function listLatencies(
  db: Db,
  kind: Kind,
  window: MetricsWindow,
  bucketSeconds: number,
): Promise<{ at: number; average: number; count: number }[]> {
  const bucket = sql<number>`floor(${epochSeconds(kind, 'started_at')} / ${sql.lit(bucketSeconds)})`;
  const rows = await runsIn(db, window)
    .where('status', '=', 'COMPLETED')
    .select([bucket.as('bucket'), sql<number>`avg(${latencyMs(kind)})`.as('average')])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .groupBy(bucket)
    .orderBy('bucket')
    .execute();
  return rows.map((row) => ({
    at: Number(row.bucket) * bucketSeconds,
    average: Number(row.average),
    count: Number(row.count),
  }));
}

/** Started and retried steps of the newest runs. */
export async function countSteps(
  db: Db,
  kind: Kind,
  window: MetricsWindow,
  runsMax: number,
): Promise<{ started: number; retried: number }> {
  const runs = await runsIn(db, window)
    .select(['run_id', 'root_execution_id'])
    .orderBy('started_at', 'desc')
    .limit(runsMax)
    .execute();
  if (runs.length === 0) return { started: 0, retried: 0 };
  const streams = [...new Set(runs.map((run) => `workflow:${window.workspaceId}:${run.root_execution_id}`))];
  const runId =
    kind === 'postgres' ? sql<string>`data ->> 'workflow_run_id'` : sql<string>`data ->> '$.workflow_run_id'`;
  const rows = await db
    .selectFrom('events')
    .select(['type', (eb) => eb.fn.countAll<number>().as('count')])
    .where('stream', 'in', streams)
    .where('type', 'in', ['ACTIVITY_TASK_STARTED', 'ACTIVITY_TASK_RETRYING'])
    .where(
      runId,
      'in',
      runs.map(({ run_id }) => run_id),
    )
    .groupBy('type')
    .execute();
  const count = (type: string) => Number(rows.find((row) => row.type === type)?.count ?? 0);
  return { started: count('ACTIVITY_TASK_STARTED'), retried: count('ACTIVITY_TASK_RETRYING') };
}
