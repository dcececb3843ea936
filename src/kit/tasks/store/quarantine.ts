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

/** The fewest deaths of a ready task; undefined when none is ready. */
export async function findFewestDeaths(db: Db, queue: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('tasks')
    .select(({ fn }) => fn.min<number | null>('deaths').as('deaths'))
    .where('queue', '=', queue)
    .where('state', '=', 'ready')
    .executeTakeFirst();
  return row?.deaths ?? undefined;
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

/** Makes the task ready as if it had never run. Undefined when it is not quarantined. */
export function releaseQuarantined(tx: Tx, id: string): Promise<QuarantinedTask | undefined> {
  return tx
    .updateTable('tasks')
    .set({ state: 'ready', attempt: 0, deaths: 0, quarantined_ms: null, last_error: null })
    .where('id', '=', id)
    .where('state', '=', 'quarantined')
    .returning(COLUMNS)
    .executeTakeFirst();
}
