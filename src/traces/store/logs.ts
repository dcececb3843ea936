import { type CompiledQuery, sql } from 'kysely';
import { type Database, type Db, isBeyond, rowWriter, type Tx } from '../../kit/db/index.ts';
import type { Condition } from '../schema/condition.ts';
import type { Field } from '../schema/fields.ts';
import type { LogRow } from '../schema/log.ts';
import { toSql, toValue } from './conditions.ts';
import './tables.ts';

type Kind = Database['kind'];

/** The last line of the page before. */
export type LogPosition = { timeUs: number; logId: string };
export type LogRange = { workspaceId: string; fromUs: number; toUs: number };
export type LogSearch = LogRange & {
  condition: Condition | undefined;
  isAscending: boolean;
  after: LogPosition | undefined;
  limit: number;
};

const COLUMNS: readonly (keyof LogRow)[] = [
  ...(['workspace_id', 'time_us', 'log_id', 'trace_id', 'span_id', 'organization_id', 'user_id'] as const),
  ...(['severity_number', 'severity_text', 'service_name', 'body', 'event_name', 'details'] as const),
];

/** A line that is sent twice is stored once. */
export function logWriter(kind: Kind): (tx: Tx, rows: readonly LogRow[]) => Promise<void> {
  const write = rowWriter(kind, 'logs', COLUMNS, 'on conflict do nothing');
  return async (tx, rows) => void (await write(tx, rows.map(toValues)));
}

function toValues(row: LogRow): unknown[] {
  return COLUMNS.map((column) => {
    const value = row[column];
    return column === 'details' && value !== null ? JSON.stringify(value) : value;
  });
}

function inRange(db: Db, { workspaceId, fromUs, toUs }: LogRange) {
  return db
    .selectFrom('logs')
    .where('workspace_id', '=', workspaceId)
    .where('time_us', '>=', fromUs)
    .where('time_us', '<', toUs);
}

/** Long reads are compiled here and run off the event loop. */
export function searchLogs(db: Db, kind: Kind, search: LogSearch): CompiledQuery<LogRow> {
  const { condition, after, isAscending, limit } = search;
  const order = isAscending ? 'asc' : 'desc';
  let query = inRange(db, fromPosition(search))
    .selectAll()
    .orderBy('time_us', order)
    .orderBy('log_id', order)
    .limit(limit);
  if (condition) query = query.where(toSql(kind, condition));
  if (after) query = query.where(isBeyond(order, ['time_us', 'log_id'], [after.timeUs, after.logId]));
  return query.compile() as CompiledQuery<LogRow>;
}

/** The range begins or ends at the position: SQLite uses only one of two. */
function fromPosition(search: LogSearch): LogRange {
  const { after, isAscending, fromUs, toUs } = search;
  if (!after) return search;
  return isAscending
    ? { ...search, fromUs: Math.max(fromUs, after.timeUs) }
    : { ...search, toUs: Math.min(toUs, after.timeUs + 1) };
}

/** The values that a field has, most frequent first. */
export function listLogOptions(
  db: Db,
  kind: Kind,
  range: LogRange,
  field: Field,
  limit: number,
): CompiledQuery<{ value: string | null }> {
  return inRange(db, range)
    .select(sql<string>`${toValue(kind, field, null)}`.as('value'))
    .groupBy(sql`1`)
    .orderBy(sql`count(*)`, 'desc')
    .orderBy(sql`1`)
    .limit(limit)
    .compile();
}

export async function findNextLogs(db: Db, after: string): Promise<string | undefined> {
  const query = db.selectFrom('logs').select('workspace_id').where('workspace_id', '>', after).orderBy('workspace_id');
  return (await query.limit(1).executeTakeFirst())?.workspace_id;
}

/** Some of the oldest, so that no transaction is long. Returns whether there may be more. */
export async function deleteLogsBefore(tx: Tx, workspaceId: string, beforeUs: number, rows: number): Promise<boolean> {
  const next = await tx
    .selectFrom('logs')
    .select('time_us')
    .where('workspace_id', '=', workspaceId)
    .where('time_us', '<', beforeUs)
    .orderBy('time_us')
    .limit(1)
    .offset(rows)
    .executeTakeFirst();
  await tx
    .deleteFrom('logs')
    .where('workspace_id', '=', workspaceId)
    .where('time_us', '<', next ? next.time_us + 1 : beforeUs)
    .execute();
  return next !== undefined;
}
