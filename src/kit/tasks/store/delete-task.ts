import type { Tx } from '../../db/index.ts';

/** Deletes the task in whatever state it is; returns its queue, or undefined when there was none. */
export async function deleteTask(tx: Tx, id: string): Promise<string | undefined> {
  const row = await tx.deleteFrom('tasks').where('id', '=', id).returning('queue').executeTakeFirst();
  return row?.queue;
}
