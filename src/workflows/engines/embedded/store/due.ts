import type { Db } from '../../../../kit/db/index.ts';
import '../tables.ts';

export function listDueRuns(db: Db, nowMs: number, limit: number) {
  return db
    .selectFrom('workflow_runs')
    .select('run_id')
    .where('due_ms', '<=', nowMs)
    .orderBy('due_ms')
    .limit(limit)
    .execute();
}

export function listDueSteps(db: Db, nowMs: number, limit: number) {
  return db
    .selectFrom('workflow_steps')
    .select(['run_id', 'scheduled_event_id'])
    .where('due_ms', '<=', nowMs)
    .orderBy('due_ms')
    .limit(limit)
    .execute();
}

export function listDueTimers(db: Db, nowMs: number, limit: number) {
  return db
    .selectFrom('workflow_timers')
    .select(['run_id', 'seq'])
    .where('due_ms', '<=', nowMs)
    .orderBy('due_ms')
    .limit(limit)
    .execute();
}

/** When the next run, step or timer is due. */
export async function findNextDue(db: Db): Promise<number | undefined> {
  const tables = ['workflow_runs', 'workflow_steps', 'workflow_timers'] as const;
  const rows = await Promise.all(
    tables.map((table) =>
      db
        .selectFrom(table)
        .select('due_ms')
        .where('due_ms', 'is not', null)
        .orderBy('due_ms')
        .limit(1)
        .executeTakeFirst(),
    ),
  );
  const times = rows.flatMap((row) => (row?.due_ms == null ? [] : [row.due_ms]));
  return times.length > 0 ? Math.min(...times) : undefined;
}
