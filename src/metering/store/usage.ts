import { sql } from 'kysely';
import type { Database, Db, Tx } from '../../kit/db/index.ts';
import type { LimitScope, UsageDimension, UsageQuery, UsageRow } from '../schema.ts';
import { chunksOf, compileOnce } from './compile-once.ts';
import type { UsageDailyRow } from './tables.ts';

const TOTALS = ['requests', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'cost_micros'] as const;
const SCOPE_COLUMNS = { organization: 'organization_id', workspace: 'workspace_id', key: 'key_id' } as const;

/** The given ids that are stored already: a batch is sent again when the result of its commit was lost. */
export async function listKnownIds(tx: Tx, ids: string[]): Promise<string[]> {
  const known = await tx.selectFrom('usage_records').select('id').where('id', 'in', ids).execute();
  return known.map(({ id }) => id);
}

const DAILY_COLUMNS = [
  'organization_id',
  'day',
  'workspace_id',
  'key_id',
  'model',
  'kind',
  ...TOTALS,
] as const satisfies (keyof UsageDailyRow)[];

/** Adds to the daily totals, in the order of their keys, so that two processes cannot deadlock. */
export async function addToDaily(tx: Tx, kind: Database['kind'], rows: UsageDailyRow[]): Promise<void> {
  for (const chunk of chunksOf(rows)) {
    const query = compileOnce(
      `${kind} daily ${chunk.length}`,
      () =>
        tx
          .insertInto('usage_daily')
          .values(chunk.map((row) => inOrder(row, DAILY_COLUMNS)))
          .onConflict((conflict) =>
            conflict
              .columns(['organization_id', 'day', 'workspace_id', 'key_id', 'model', 'kind'])
              .doUpdateSet((eb) =>
                Object.fromEntries(
                  TOTALS.map((total) => [total, eb(`usage_daily.${total}`, '+', eb.ref(`excluded.${total}`))]),
                ),
              ),
          )
          .compile().sql,
    );
    const parameters = chunk.flatMap((row) => DAILY_COLUMNS.map((column) => row[column]));
    await tx.executeQuery({ ...query, parameters });
  }
}

/** Kysely lists the columns in the order of the first row's keys. */
function inOrder<R>(row: R, columns: readonly (keyof R)[]): R {
  return Object.fromEntries(columns.map((column) => [column, row[column]])) as R;
}

const RECORD_DIMENSIONS: readonly UsageDimension[] = ['hour', 'user_id'];
const DAY_MS = 86_400_000;

/** Has no parameter, so that PostgreSQL sees the same expression in select, group by and order by. */
const MONTH = sql<string>`substr(day, 1, 7)`;

export async function listUsage(db: Db, organizationId: string, query: UsageQuery): Promise<UsageRow[]> {
  const isFine = query.groupBy.some((dimension) => RECORD_DIMENSIONS.includes(dimension));
  return isFine ? listRecordedUsage(db, organizationId, query) : listDailyUsage(db, organizationId, query);
}

const TIMES: Partial<Record<UsageDimension, ReturnType<typeof sql<string>>>> = {
  hour: sql<string>`substr(created_at, 1, 13)`,
  day: sql<string>`substr(created_at, 1, 10)`,
  month: sql<string>`substr(created_at, 1, 7)`,
};

/** From the single records, for what the daily totals do not tell. */
async function listRecordedUsage(
  db: Db,
  organizationId: string,
  { from, to, groupBy, only = {} }: UsageQuery,
): Promise<UsageRow[]> {
  const totals = db
    .selectFrom('usage_records')
    .select(sql<number>`count(*)`.as('requests'))
    .select(
      TOTALS.filter((total) => total !== 'requests').map((total) =>
        sql<number>`coalesce(sum(${sql.ref(total)}), 0)`.as(total),
      ),
    )
    .where('organization_id', '=', organizationId)
    .where('created_at', '>=', from)
    .where('created_at', '<', new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10));
  const query = Object.entries(only).reduce((narrowed, [column, value]) => {
    return narrowed.where(column as keyof typeof only, '=', value);
  }, totals);
  const rows = await groupBy
    .reduce((grouped, dimension) => {
      const column = TIMES[dimension] ?? sql.ref<string>(dimension);
      return grouped.select(column.as(dimension)).groupBy(column).orderBy(column);
    }, query)
    .execute();
  return rows as unknown as UsageRow[];
}

async function listDailyUsage(
  db: Db,
  organizationId: string,
  { from, to, groupBy, only = {} }: UsageQuery,
): Promise<UsageRow[]> {
  const totals = db
    .selectFrom('usage_daily')
    .select(TOTALS.map((total) => sql<number>`coalesce(sum(${sql.ref(total)}), 0)`.as(total)))
    .where('organization_id', '=', organizationId)
    .where('day', '>=', from)
    .where('day', '<=', to);
  const query = Object.entries(only).reduce((narrowed, [column, value]) => {
    return narrowed.where(column as keyof typeof only, '=', value);
  }, totals);
  // Each combination has one row, so this order is complete.
  return groupBy
    .reduce((grouped, dimension) => {
      const column = dimension === 'month' ? MONTH : sql.ref<string>(dimension);
      return grouped.select(column.as(dimension)).groupBy(column).orderBy(column);
    }, query)
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

/** Deletes up to `limit` of the oldest; returns how many. */
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
