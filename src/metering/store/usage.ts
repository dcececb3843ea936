import { sql } from 'kysely';
import type { Db, Tx } from '../../kit/db/index.ts';
import type { LimitScope, UsageQuery, UsageRow } from '../schema.ts';
import type { UsageDailyRow, UsageRecordRow } from './tables.ts';

const TOTALS = ['requests', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'cost_micros'] as const;
const SCOPE_COLUMNS = { organization: 'organization_id', workspace: 'workspace_id', key: 'key_id' } as const;

/** Returns the ids that were not there yet: a batch whose commit was lost on the way back is sent again. */
export async function insertUsageRecords(tx: Tx, rows: UsageRecordRow[]): Promise<Set<string>> {
  const inserted = await tx
    .insertInto('usage_records')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .execute();
  return new Set(inserted.map(({ id }) => id));
}

/** Adds to each day's totals. In the order of their keys, so that two processes cannot wait for each other's rows. */
export async function addToDaily(tx: Tx, rows: UsageDailyRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('usage_daily')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'day', 'workspace_id', 'key_id', 'model', 'kind'])
        .doUpdateSet((eb) =>
          Object.fromEntries(
            TOTALS.map((total) => [total, eb(`usage_daily.${total}`, '+', eb.ref(`excluded.${total}`))]),
          ),
        ),
    )
    .execute();
}

export async function listUsage(
  db: Db,
  organizationId: string,
  { from, to, groupBy }: UsageQuery,
): Promise<UsageRow[]> {
  const query = db
    .selectFrom('usage_daily')
    .select(TOTALS.map((total) => sql<number>`coalesce(sum(${sql.ref(total)}), 0)`.as(total)))
    .where('organization_id', '=', organizationId)
    .where('day', '>=', from)
    .where('day', '<=', to);
  if (groupBy.length === 0) return query.execute();
  // The totals of one combination stand in one row, so this order leaves nothing open.
  return groupBy
    .reduce((ordered, dimension) => ordered.orderBy(dimension), query.select([...groupBy]).groupBy([...groupBy]))
    .execute();
}

/** `month` as `YYYY-MM`. */
export async function findSpentMicros(db: Db, { kind, id }: LimitScope, month: string): Promise<number> {
  const { spent } = await db
    .selectFrom('usage_daily')
    .select(sql<number>`coalesce(sum(cost_micros), 0)`.as('spent'))
    .where(SCOPE_COLUMNS[kind], '=', id)
    .where('day', '>=', `${month}-01`)
    .where('day', '<=', `${month}-31`)
    .executeTakeFirstOrThrow();
  return spent;
}

/** At most `limit` of the oldest; returns how many there were. */
export async function deleteUsageRecordsBefore(db: Db, beforeIso: string, limit: number): Promise<number> {
  const oldest = db
    .selectFrom('usage_records')
    .select('id')
    .where('created_at', '<', beforeIso)
    .orderBy('created_at')
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('usage_records').where('id', 'in', oldest).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
