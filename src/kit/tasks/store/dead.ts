import type { Selectable } from 'kysely';
import type { Db, Tables, Tx } from '../../db/index.ts';
import { DEAD } from './insert-tasks.ts';

export type DeadTask = Pick<
  Selectable<Tables['tasks']>,
  'id' | 'queue' | 'payload' | 'attempt' | 'last_error' | 'created_at'
>;

/** Oldest first, in pages. */
export function listDead(db: Db, queue: string, { after = '', limit = 100 } = {}): Promise<DeadTask[]> {
  return db
    .selectFrom('tasks')
    .select(['id', 'queue', 'payload', 'attempt', 'last_error', 'created_at'])
    .where('queue', '=', queue)
    .where('state', '=', 'dead')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns the queue to wake; undefined when no such task is dead, or another with its dedupe key took its place. */
export async function reviveDead(tx: Tx, id: string): Promise<string | undefined> {
  const row = await tx
    .updateTable('tasks')
    .set({ state: 'ready', attempt: 0 })
    .where('tasks.id', '=', id)
    .where('tasks.state', '=', 'dead')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('tasks as live')
            .select('live.id')
            .whereRef('live.queue', '=', 'tasks.queue')
            .whereRef('live.dedupe_key', '=', 'tasks.dedupe_key')
            .where('live.state', '<>', DEAD),
        ),
      ),
    )
    .returning('queue')
    .executeTakeFirst();
  return row?.queue;
}
