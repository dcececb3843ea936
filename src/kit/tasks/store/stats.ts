import type { Db } from '../../db/index.ts';
import type { TaskState } from './tables.ts';

export type QueueStats = {
  queue: string;
  /** Ready and delayed. */
  waiting: number;
  running: number;
  dead: number;
  quarantined: number;
  /** How long the oldest due task has been waiting; 0 when none is due. */
  oldestDueAgeMs: number;
};

export async function stats(db: Db, nowMs: number): Promise<QueueStats[]> {
  const rows = await db
    .selectFrom('tasks')
    .select(({ fn }) => [
      'queue',
      'state',
      fn.countAll<number>().as('tasks'),
      fn.min<number>('run_at_ms').as('oldest_run_at_ms'),
    ])
    .groupBy(['queue', 'state'])
    .orderBy('queue')
    .execute();
  const queues = new Map<string, QueueStats>();
  for (const { queue, state, tasks, oldest_run_at_ms } of rows) {
    const entry = queues.get(queue) ?? { queue, waiting: 0, running: 0, dead: 0, quarantined: 0, oldestDueAgeMs: 0 };
    const column = COLUMNS[state];
    entry[column] += tasks;
    if (column === 'waiting') entry.oldestDueAgeMs = Math.max(entry.oldestDueAgeMs, nowMs - oldest_run_at_ms);
    queues.set(queue, entry);
  }
  return [...queues.values()];
}

const COLUMNS = {
  ready: 'waiting',
  delayed: 'waiting',
  running: 'running',
  dead: 'dead',
  quarantined: 'quarantined',
} as const satisfies Record<TaskState, keyof QueueStats>;
