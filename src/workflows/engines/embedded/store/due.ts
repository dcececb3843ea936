import { sql } from 'kysely';
import { type Db, lookForEach } from '../../../../kit/db/index.ts';
import '../tables.ts';

export function listDueRuns(db: Db, nowMs: number, limit: number, runId?: string) {
  return db
    .selectFrom('workflow_runs')
    .select('run_id')
    .where('due_ms', '<=', nowMs)
    .$if(runId !== undefined, (query) => query.where('run_id', '=', runId ?? ''))
    .orderBy('due_ms')
    .limit(limit)
    .execute();
}

export function listDueSteps(db: Db, nowMs: number, limit: number, runId?: string) {
  return db
    .selectFrom('workflow_steps')
    .select(['run_id', 'scheduled_event_id'])
    .where('due_ms', '<=', nowMs)
    .$if(runId !== undefined, (query) => query.where('run_id', '=', runId ?? ''))
    .orderBy('due_ms')
    .limit(limit)
    .execute();
}

export function listDueTimers(db: Db, nowMs: number, limit: number, runId?: string) {
  return db
    .selectFrom('workflow_timers')
    .select(['run_id', 'seq'])
    .where('due_ms', '<=', nowMs)
    .$if(runId !== undefined, (query) => query.where('run_id', '=', runId ?? ''))
    .orderBy('due_ms')
    .limit(limit)
    .execute();
}

const nextDue = sql<number | null>`(select min(due_ms) from (
  select min(due_ms) as due_ms from workflow_runs where due_ms is not null
  union all select min(due_ms) from workflow_steps where due_ms is not null
  union all select min(due_ms) from workflow_timers
) as due)`;

/** When the next run, step or timer is due. */
export async function findNextDue(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ due_ms: number | null }>`select ${nextDue} as due_ms`.execute(db);
  return rows[0]?.due_ms ?? undefined;
}

/** The same for a process that looks; it has one key. */
export const dueWork = lookForEach(nextDue);
