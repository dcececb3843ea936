import type { Database, Tx } from '../../db/index.ts';
import { giveUp } from './give-up.ts';
import { listed } from './listed.ts';
import { countDeaths, type QuarantinedTask } from './quarantine.ts';

const BATCH = 500;
const LEASE_RAN_OUT = 'The lease ran out: its worker died or could not reach the database.';

/**
 * Makes tasks ready whose delay or lease has ended. A task without attempts left becomes dead; one whose process died too often
 * is quarantined, and returned.
 */
export async function reviveDue(
  tx: Tx,
  kind: Database['kind'],
  queue: string,
  nowMs: number,
): Promise<QuarantinedTask[]> {
  const due = await tx
    .selectFrom('tasks')
    .select([
      'id',
      'queue',
      'lease_token',
      'state',
      'attempt',
      'attempts_max',
      'repeat_ms',
      'run_at_ms',
      'last_error',
      'is_beside_trial',
    ])
    .where('queue', '=', queue)
    .where('due_ms', '<=', nowMs)
    .orderBy('due_ms')
    .limit(BATCH)
    .$if(kind === 'postgres', (query) => query.forUpdate().skipLocked())
    .execute();
  const died = due.filter(({ state }) => state === 'running').map(({ id }) => id);
  const quarantined = died.length > 0 ? await countDeaths(tx, kind, died, nowMs) : [];
  const ready: string[] = [];
  for (const task of due) {
    if (quarantined.some(({ id }) => id === task.id)) continue;
    const isUsedUp = task.state === 'running' && !task.is_beside_trial && task.attempt >= task.attempts_max;
    if (isUsedUp) await giveUp(tx, task, task.last_error ?? LEASE_RAN_OUT, nowMs);
    else ready.push(task.id);
  }
  if (ready.length > 0)
    await tx
      .updateTable('tasks')
      .set({ state: 'ready', due_ms: null })
      .where('id', 'in', listed(kind, ready))
      .execute();
  return quarantined;
}
