import { type Selectable, sql } from 'kysely';
import type { Database, Db, Tables, Tx } from '../../db/index.ts';
import { listed } from './listed.ts';

/** So many processes die with a task before it is quarantined. */
const DEATHS_MAX = 3;
const REASON = 'The server died each time it worked on this.';

const COLUMNS = ['id', 'queue', 'payload', 'tenant', 'deaths', 'quarantined_ms', 'created_at'] as const;

export type QuarantinedTask = Pick<Selectable<Tables['tasks']>, (typeof COLUMNS)[number]>;

/** For tasks whose process died while they ran. Returns those that are now quarantined. */
export async function countDeaths(
  tx: Tx,
  kind: Database['kind'],
  ids: readonly string[],
  nowMs: number,
): Promise<QuarantinedTask[]> {
  await tx
    .updateTable('tasks')
    .set({ deaths: sql`deaths + 1` })
    .where('id', 'in', listed(kind, ids))
    .where('is_beside_trial', '=', false)
    .execute();
  return tx
    .updateTable('tasks')
    .set({ state: 'quarantined', due_ms: null, quarantined_ms: nowMs, is_reported: false, last_error: REASON })
    .where('id', 'in', listed(kind, ids))
    .where('deaths', '>=', DEATHS_MAX)
    .returning(COLUMNS)
    .execute();
}

/** The numbers of deaths of ready tasks, from the fewest on. */
export async function listDeaths(db: Db, queue: string): Promise<number[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('deaths')
    .distinct()
    .where('queue', '=', queue)
    .where('state', '=', 'ready')
    .orderBy('deaths')
    .execute();
  return rows.map(({ deaths }) => deaths);
}

/** The process of this task lives, and only its lease ran out. */
export async function forgiveDeath(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({
      deaths: sql`deaths - 1`,
      state: sql`case when state = 'quarantined' then 'ready' else state end`,
      quarantined_ms: null,
    })
    .where('id', '=', id)
    .where('deaths', '>', 0)
    .execute();
}

/** While a task is on trial, those that run beside it are not to blame for a death. */
export async function updateBesideTrial(
  tx: Tx,
  kind: Database['kind'],
  ids: readonly string[],
  isBesideTrial: boolean,
): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ is_beside_trial: isBesideTrial })
    .where('id', 'in', listed(kind, ids))
    .where('state', '=', 'running')
    .execute();
}

/** Oldest first. */
export function listQuarantined(db: Db, { after = '', limit = 100 } = {}): Promise<QuarantinedTask[]> {
  return db
    .selectFrom('tasks')
    .select(COLUMNS)
    .where('state', '=', 'quarantined')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export function countQuarantined(db: Db): Promise<{ queue: string; tasks: number }[]> {
  return db
    .selectFrom('tasks')
    .select(({ fn }) => ['queue', fn.countAll<number>().as('tasks')])
    .where('state', '=', 'quarantined')
    .groupBy('queue')
    .orderBy('queue')
    .execute();
}

/** Takes those that are not in the audit log yet; the caller writes them to it in the same transaction. */
export function takeUnreported(tx: Tx): Promise<QuarantinedTask[]> {
  return tx
    .updateTable('tasks')
    .set({ is_reported: true })
    .where('state', '=', 'quarantined')
    .where('is_reported', '=', false)
    .returning(COLUMNS)
    .execute();
}

/** Makes the task ready, to run alone: one more death, and it is quarantined again. Undefined when it is not quarantined. */
export function releaseQuarantined(tx: Tx, id: string): Promise<QuarantinedTask | undefined> {
  return tx
    .updateTable('tasks')
    .set({ state: 'ready', attempt: 0, deaths: DEATHS_MAX - 1, quarantined_ms: null, last_error: null })
    .where('id', '=', id)
    .where('state', '=', 'quarantined')
    .returning(COLUMNS)
    .executeTakeFirst();
}
