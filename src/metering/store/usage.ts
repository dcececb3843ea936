import { CompiledQuery, sql } from 'kysely';
import type { Database, Db, Tx } from '../../kit/db/index.ts';
import type { LimitScope, UsageQuery, UsageRow } from '../schema.ts';
import type { UsageDailyRow, UsageRecordRow } from './tables.ts';

const TOTALS = ['requests', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'cost_micros'] as const;
const SCOPE_COLUMNS = { organization: 'organization_id', workspace: 'workspace_id', key: 'key_id' } as const;

/** Of these records, those that are in the books already: a batch whose commit was lost on the way back is sent again. */
export async function listKnownIds(tx: Tx, ids: string[]): Promise<string[]> {
  const known = await tx.selectFrom('usage_records').select('id').where('id', 'in', ids).execute();
  return known.map(({ id }) => id);
}

const COLUMNS = [
  'id',
  'organization_id',
  'workspace_id',
  'key_id',
  'user_id',
  'request_id',
  'model',
  'kind',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cost_micros',
  'status',
  'latency_ms',
  'created_at',
] as const satisfies (keyof UsageRecordRow)[];

const STATEMENT_ROWS = 50;

/** Inserts of each number of rows, as text. */
const compiled = new Map<string, CompiledQuery>();

/**
 * To build a statement of hundreds of values costs more than to run it. So long lists go in pieces of one length, and
 * for each length the text is built once.
 */
export async function insertUsageRecords(tx: Tx, kind: Database['kind'], rows: UsageRecordRow[]): Promise<void> {
  for (let i = 0; i < rows.length; i += STATEMENT_ROWS) {
    const piece = rows.slice(i, i + STATEMENT_ROWS);
    const parameters = piece.flatMap((row) => COLUMNS.map((column) => row[column]));
    await tx.executeQuery({ ...insertOf(tx, kind, piece), parameters });
  }
}

function insertOf(tx: Tx, kind: Database['kind'], rows: UsageRecordRow[]): CompiledQuery {
  const name = `${kind} ${rows.length}`;
  let query = compiled.get(name);
  if (!query) {
    // The columns stand in the order of the first row's keys.
    const values = rows.map((row) => Object.fromEntries(COLUMNS.map((column) => [column, row[column]])));
    query = CompiledQuery.raw(
      tx
        .insertInto('usage_records')
        .values(values as UsageRecordRow[])
        .compile().sql,
    );
    compiled.set(name, query);
  }
  return query;
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

/** No parameter in it, so that PostgreSQL sees the same expression where it is selected, grouped and sorted. */
const MONTH = sql<string>`substr(day, 1, 7)`;

export async function listUsage(
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
  // The totals of one combination stand in one row, so this order leaves nothing open.
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
