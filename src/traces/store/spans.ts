import { hash } from 'node:crypto';
import { type CompiledQuery, sql } from 'kysely';
import { type Database, type Db, groupWriter, isBeyond, type Tx } from '../../kit/db/index.ts';
import type { Condition } from '../schema/condition.ts';
import type { Field } from '../schema/fields.ts';
import type { Span, SumName } from '../schema/span.ts';
import { toSql, toValue } from './conditions.ts';
import { sumNames, sumText } from './sums.ts';
import './tables.ts';

type Kind = Database['kind'];
export type SpanWriter = (tx: Tx, spans: readonly Span[]) => Promise<void>;

/** Of one workspace, from and to in microseconds; the later end is not included. */
export type SpanRange = { workspaceId: string; fromUs: number; toUs: number; table?: SearchedTable };
/** Tables with the columns that a search goes by. */
type SearchedTable = 'spans' | 'span_evaluations';
/** The last row of the page before; spans are listed newest first. */
export type SpanPosition = { startUs: number; spanId: string };
export type SpanSearch = SpanRange & {
  condition: Condition | undefined;
  after: SpanPosition | undefined;
  limit: number;
};

/**
 * Most spans of a second differ from others in a few columns only. Those that `mayRepeat` are stored once; looking for them is a
 * tenth of what PostgreSQL writes for a span.
 */
export function spanWriter(kind: Kind, { mayRepeat }: { mayRepeat: boolean }): SpanWriter {
  return groupWriter<Span>(kind, {
    table: 'spans',
    shared: {
      text: [
        ...['workspace_id', 'organization_id', 'user_id', 'key_id', 'span_name', 'span_kind'],
        ...['service_name', 'status_code', 'error_type', 'operation_name', 'provider_name', 'request_model'],
        ...['response_model', 'conversation_id', 'agent_id', 'workflow_name', 'prompt_name', 'tool_name'],
      ],
      boolean: ['is_root'],
      bigint: ['http_status'],
    },
    own: {
      text: ['span_id', 'trace_id', 'parent_span_id', 'response_id', 'request_id'],
      bigint: [
        ...['start_us', 'duration_ns', 'first_token_ns', 'usage_input_tokens', 'usage_output_tokens'],
        ...['usage_cache_read_input_tokens', 'cost_micros'],
      ],
      json: ['details'],
    },
    isSame,
    addShared,
    addOwn,
    ending: mayRepeat ? 'on conflict do nothing' : '',
  });
}

function isSame(a: Span, b: Span): boolean {
  return (
    a.key_id === b.key_id &&
    a.response_model === b.response_model &&
    a.span_name === b.span_name &&
    a.http_status === b.http_status &&
    a.conversation_id === b.conversation_id &&
    a.workspace_id === b.workspace_id &&
    a.organization_id === b.organization_id &&
    a.user_id === b.user_id &&
    a.is_root === b.is_root &&
    a.span_kind === b.span_kind &&
    a.service_name === b.service_name &&
    a.status_code === b.status_code &&
    a.error_type === b.error_type &&
    a.operation_name === b.operation_name &&
    a.provider_name === b.provider_name &&
    a.request_model === b.request_model &&
    a.agent_id === b.agent_id &&
    a.workflow_name === b.workflow_name &&
    a.prompt_name === b.prompt_name &&
    a.tool_name === b.tool_name
  );
}

// Written out, in the order of the columns: a lookup by variable per column would cost more than the rest.
function addShared(values: unknown[], span: Span): void {
  values.push(span.workspace_id, span.organization_id, span.user_id, span.key_id, span.span_name);
  values.push(span.span_kind, span.service_name, span.status_code, span.error_type, span.operation_name);
  values.push(span.provider_name, span.request_model, span.response_model, span.conversation_id, span.agent_id);
  values.push(span.workflow_name, span.prompt_name, span.tool_name, span.is_root, span.http_status);
}

function addOwn(values: unknown[], span: Span): void {
  values.push(span.span_id, span.trace_id, span.parent_span_id, span.response_id, span.request_id, span.start_us);
  values.push(span.duration_ns, span.first_token_ns, span.usage_input_tokens, span.usage_output_tokens);
  values.push(span.usage_cache_read_input_tokens, span.cost_micros);
  values.push(span.details === null ? null : JSON.stringify(span.details));
}

export function inRange(db: Db, { workspaceId, fromUs, toUs, table = 'spans' }: SpanRange) {
  return db
    .selectFrom(table as 'spans')
    .where('workspace_id', '=', workspaceId)
    .where('start_us', '>=', fromUs)
    .where('start_us', '<', toUs);
}

export function found(db: Db, kind: Kind, search: SpanSearch) {
  const { condition, after, limit } = search;
  // The range ends at the position: SQLite uses only one of two ends.
  const toUs = after ? Math.min(search.toUs, after.startUs + 1) : search.toUs;
  let query = inRange(db, { ...search, toUs })
    .orderBy('start_us', 'desc')
    .orderBy('span_id', 'desc')
    .limit(limit);
  if (condition) query = query.where(toSql(kind, condition));
  if (after) query = query.where(isBeyond('desc', ['start_us', 'span_id'], [after.startUs, after.spanId]));
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

const UUIDV7 = /^([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})$/;

/** By the id of the trace. Of earlier executions it is the hash of their own id, where it is that id now. */
async function underEitherId<T>(traceId: string, find: (traceId: string) => Promise<T>): Promise<T> {
  const found = await find(traceId);
  const isMissing = Array.isArray(found) ? found.length === 0 : found === undefined;
  if (!isMissing || !UUIDV7.test(traceId)) return found;
  return find(hash('sha256', traceId.replace(UUIDV7, '$1-$2-$3-$4-$5')).slice(0, 32));
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
    .orderBy('start_us')
    .orderBy('span_id')
    .limit(limit);
  // Not compared as one, which would let the database look for them by time among all traces.
  if (after)
    query = query.where(({ eb, or, and }) =>
      or([
        eb('start_us', '>', after.startUs),
        and([eb('start_us', '=', after.startUs), eb('span_id', '>', after.spanId)]),
      ]),
    );
  return underEitherId(traceId, (id) => query.where('trace_id', '=', id).execute());
}

export function findSpan(db: Db, workspaceId: string, traceId: string, spanId: string): Promise<Span | undefined> {
  const query = db
    .selectFrom('spans')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('span_id', '=', spanId);
  return underEitherId(traceId, (id) => query.where('trace_id', '=', id).executeTakeFirst());
}

export function findTrace(db: Db, kind: Kind, workspaceId: string, traceId: string): Promise<TraceRow | undefined> {
  const query = db
    .selectFrom('spans')
    .where('workspace_id', '=', workspaceId)
    .orderBy('is_root', 'desc')
    .orderBy('start_us')
    .orderBy('span_id')
    .limit(1)
    .selectAll()
    .select(sumColumns(kind));
  const find = (id: string) => query.where('trace_id', '=', id).executeTakeFirst();
  return underEitherId(traceId, find) as Promise<TraceRow | undefined>;
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

/** The next workspace that has rows; the index is skipped through, not read. */
export async function findNextWorkspace(
  db: Db,
  table: 'spans' | 'span_feedback',
  after: string,
): Promise<string | undefined> {
  const query = db.selectFrom(table).select('workspace_id').where('workspace_id', '>', after).orderBy('workspace_id');
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
  for (const table of ['span_contents', 'span_feedback', 'spans'] as const)
    await tx.deleteFrom(table).where('workspace_id', '=', workspaceId).where('start_us', '<', toUs).execute();
  return next !== undefined;
}
