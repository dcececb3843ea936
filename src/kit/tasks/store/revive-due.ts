import { sql } from 'kysely';
import type { Database, Tx } from '../../db/index.ts';
import { giveUp } from './give-up.ts';

const BATCH = 500;
const LEASE_RAN_OUT = 'The lease ran out: its worker died or could not reach the database.';

/** Makes tasks ready whose delay or lease has ended; a task without attempts left becomes dead. */
export async function reviveDue(tx: Tx, kind: Database['kind'], queue: string, nowMs: number): Promise<void> {
  const due = await tx
    .selectFrom('tasks')
    .select(['id', 'queue', 'lease_token', 'state', 'attempt', 'attempts_max', 'repeat_ms', 'run_at_ms', 'last_error'])
    .where('queue', '=', queue)
    .where('due_ms', '<=', nowMs)
    .orderBy('due_ms')
    .limit(BATCH)
    .$if(kind === 'postgres', (query) => query.forUpdate().skipLocked())
    .execute();
  const ready: string[] = [];
  for (const task of due) {
    const isUsedUp = task.state === 'running' && task.attempt >= task.attempts_max;
    if (isUsedUp) await giveUp(tx, task, task.last_error ?? LEASE_RAN_OUT, nowMs);
    else ready.push(task.id);
  }
  if (ready.length === 0) return;
  await tx.updateTable('tasks').set({ state: 'ready', due_ms: null }).where('id', 'in', listed(kind, ready)).execute();
}

// One parameter for any number of ids, so that there is one statement to prepare.
function listed(kind: Database['kind'], ids: string[]) {
  const list = JSON.stringify(ids);
  return kind === 'postgres'
    ? sql<string>`(select json_array_elements_text(${list}::json))`
    : sql<string>`(select value from json_each(${list}))`;
}
