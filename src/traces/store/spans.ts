import { type CompiledQuery, sql } from 'kysely';
import { type Database, type Db, rowWriter, type Tx } from '../../kit/db/index.ts';
import type { Condition } from '../schema/condition.ts';
import type { Field } from '../schema/fields.ts';
import type { Span, SpanContent, SumName } from '../schema/span.ts';
import { toSql, toValue } from './conditions.ts';
import { sumNames, sumText } from './sums.ts';
import './tables.ts';

type Kind = Database['kind'];

/** Of one workspace, from and to in microseconds; the later end is not included. */
export type SpanRange = { workspaceId: string; fromUs: number; toUs: number };
/** The last row of the page before; spans are listed newest first. */
export type SpanPosition = { startUs: number; spanId: string };
export type SpanSearch = SpanRange & {
  condition: Condition | undefined;
  after: SpanPosition | undefined;
  limit: number;
};

/** Each value is bound for every span, so their order is written out once, here. */
const COLUMNS: readonly (keyof Span)[] = [
  ...(['workspace_id', 'start_us', 'span_id', 'trace_id', 'parent_span_id', 'organization_id', 'user_id'] as const),
  ...(['key_id', 'is_root', 'span_name', 'span_kind', 'service_name', 'status_code', 'error_type'] as const),
  ...(['http_status', 'operation_name', 'provider_name', 'request_model', 'response_model', 'response_id'] as const),
  ...(['request_id', 'conversation_id', 'agent_id', 'workflow_name', 'prompt_name', 'tool_name'] as const),
  ...(['duration_ns', 'first_token_ns', 'usage_input_tokens', 'usage_output_tokens'] as const),
  ...(['usage_cache_read_input_tokens', 'cost_micros', 'details'] as const),
];

/** A span that is sent twice is stored once. */
export function spanWriter(kind: Kind): (tx: Tx, spans: readonly Span[]) => Promise<void> {
  const write = rowWriter(kind, 'spans', COLUMNS, 'on conflict do nothing');
  return async (tx, spans) => void (await write(tx, spans.map(toValues)));
}

function toValues(span: Span): unknown[] {
  return COLUMNS.map((column) => {
    const value = span[column];
    return column === 'details' && value !== null ? JSON.stringify(value) : value;
  });
}

export function inRange(db: Db, { workspaceId, fromUs, toUs }: SpanRange) {
  return db
    .selectFrom('spans')
    .where('workspace_id', '=', workspaceId)
    .where('start_us', '>=', fromUs)
    .where('start_us', '<', toUs);
}

function found(db: Db, kind: Kind, search: SpanSearch) {
  const { condition, after, limit } = search;
  let query = inRange(db, search).orderBy('start_us', 'desc').orderBy('span_id', 'desc').limit(limit);
  if (condition) query = query.where(toSql(kind, condition));
  if (after)
    query = query.where(({ eb, or, and }) =>
      or([
        eb('start_us', '<', after.startUs),
        and([eb('start_us', '=', after.startUs), eb('span_id', '<', after.spanId)]),
      ]),
    );
  return query;
}

/** Long reads are compiled here and run off the event loop. */
export function searchSpans(db: Db, kind: Kind, search: SpanSearch): CompiledQuery<Span> {
  return found(db, kind, search).selectAll().compile() as CompiledQuery<Span>;
}

/** Its first span, and the sums over all as `trace_…`. */
export type TraceRow = Span & { [Name in SumName as `trace_${Name}`]: Name extends 'status_code' ? string : number };

const sumColumns = (kind: Kind) => sumNames.map((name) => sql.raw<number>(sumText(kind, name)).as(`trace_${name}`));

/** Traces by their first span that is here. */
export function searchTraces(db: Db, kind: Kind, search: SpanSearch): CompiledQuery<TraceRow> {
  return firstOfTraces(found(db, kind, search))
    .selectAll()
    .select(sumColumns(kind))
    .compile() as unknown as CompiledQuery<TraceRow>;
}

type Found = ReturnType<typeof inRange>;

export function firstOfTraces(query: Found): Found {
  return query.where(sql<boolean>`is_root`).where(
    sql<boolean>`not exists (select 1 from spans as e where e.workspace_id = spans.workspace_id
      and e.trace_id = spans.trace_id and e.is_root and (e.start_us < spans.start_us
      or (e.start_us = spans.start_us and e.span_id < spans.span_id)))`,
  );
}

/** All spans of a trace, oldest first. */
export function listTraceSpans(
  db: Db,
  workspaceId: string,
  traceId: string,
  after: SpanPosition | undefined,
  limit: number,
): Promise<Span[]> {
  let query = db
    .selectFrom('spans')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', '=', traceId)
    .orderBy('start_us')
    .orderBy('span_id')
    .limit(limit);
  if (after)
    query = query.where(({ eb, or, and }) =>
      or([
        eb('start_us', '>', after.startUs),
        and([eb('start_us', '=', after.startUs), eb('span_id', '>', after.spanId)]),
      ]),
    );
  return query.execute();
}

export function findSpan(db: Db, workspaceId: string, traceId: string, spanId: string): Promise<Span | undefined> {
  return db
    .selectFrom('spans')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', '=', traceId)
    .where('span_id', '=', spanId)
    .executeTakeFirst();
}

export function findTrace(db: Db, kind: Kind, workspaceId: string, traceId: string): Promise<TraceRow | undefined> {
  const query = db
    .selectFrom('spans')
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', '=', traceId)
    .orderBy('is_root', 'desc')
    .orderBy('start_us')
    .orderBy('span_id')
    .limit(1)
    .selectAll()
    .select(sumColumns(kind));
  return query.executeTakeFirst() as Promise<TraceRow | undefined>;
}

/** What the traces name: models and tools, in the order in which they were used first. */
export async function listNames(
  db: Db,
  workspaceId: string,
  traceIds: readonly string[],
): Promise<{ trace_id: string; model: string; tool: string }[]> {
  if (traceIds.length === 0) return [];
  return db
    .selectFrom('spans')
    .select(['trace_id', 'response_model as model', 'tool_name as tool'])
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', 'in', traceIds)
    .groupBy(['trace_id', 'response_model', 'tool_name'])
    .orderBy(({ fn }) => fn.min('start_us'))
    .execute();
}

export async function findContents(
  db: Db,
  workspaceId: string,
  spanIds: readonly string[],
): Promise<Map<string, SpanContent>> {
  if (spanIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('span_contents')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('span_id', 'in', spanIds)
    .execute();
  return new Map(rows.map((row) => [row.span_id, row]));
}

/** The values that a field has, most frequent first. */
export function listOptions(
  db: Db,
  kind: Kind,
  range: SpanRange,
  field: Field,
  isTrace: boolean,
  limit: number,
): CompiledQuery<{ value: string | null }> {
  const value = toValue(kind, field, null);
  let query = inRange(db, range);
  if (isTrace) query = firstOfTraces(query);
  return query
    .select(sql<string>`${value}`.as('value'))
    .groupBy(sql`1`)
    .orderBy(sql`count(*)`, 'desc')
    .orderBy(sql`1`)
    .limit(limit)
    .compile();
}

/** The next workspace that has spans; the index is skipped through, not read. */
export async function findNextWorkspace(db: Db, after: string): Promise<string | undefined> {
  const query = db.selectFrom('spans').select('workspace_id').where('workspace_id', '>', after).orderBy('workspace_id');
  return (await query.limit(1).executeTakeFirst())?.workspace_id;
}

/** Some of the oldest, so that no transaction is long. Returns whether there may be more. */
export async function deleteSpansBefore(tx: Tx, workspaceId: string, beforeUs: number, rows: number): Promise<boolean> {
  const next = await tx
    .selectFrom('spans')
    .select('start_us')
    .where('workspace_id', '=', workspaceId)
    .where('start_us', '<', beforeUs)
    .orderBy('start_us')
    .limit(1)
    .offset(rows)
    .executeTakeFirst();
  const toUs = next ? next.start_us + 1 : beforeUs;
  for (const table of ['span_contents', 'spans'] as const)
    await tx.deleteFrom(table).where('workspace_id', '=', workspaceId).where('start_us', '<', toUs).execute();
  return next !== undefined;
}
