import { sql } from 'kysely';
import { type Db, lookForEach } from '../../db/index.ts';

/** When the queue next has something to do: 0 = now, undefined = nothing waits or runs. */
export async function findNextDue(db: Db, queue: string): Promise<number | undefined> {
  const { rows } = await sql<{ ready: number | boolean; due_ms: number | null }>`
    select
      exists (select 1 from tasks where queue = ${queue} and state = 'ready') as ready,
      (select min(due_ms) from tasks where queue = ${queue} and due_ms is not null) as due_ms
  `.execute(db);
  const [row] = rows;
  return row?.ready ? 0 : (row?.due_ms ?? undefined);
}

/** Whether a queue has something to do now, or did when its process died. */
export async function hasDue(db: Db, nowMs: number): Promise<boolean> {
  const due = await db
    .selectFrom('tasks')
    .select('id')
    .where(({ or, eb }) => or([eb('state', 'in', ['ready', 'running']), eb('due_ms', '<=', nowMs)]))
    .limit(1)
    .executeTakeFirst();
  return due !== undefined;
}

/** The same for each queue that a process works on. */
export const dueOfQueue = lookForEach(sql`coalesce(
  (select 0 from tasks where queue = look.key and state = 'ready' limit 1),
  (select min(due_ms) from tasks where queue = look.key and due_ms is not null)
)`);
