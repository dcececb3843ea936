import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { migrations } from '../../../migrations/index.ts';
import { createAuditService } from '../../../src/audit/index.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import { type Database, migrate, openDatabase } from '../../../src/kit/db/index.ts';
import { createPageTokens, type Scope } from '../../../src/kit/http/index.ts';
import type { Span } from '../../../src/traces/schema/span.ts';
import { createTraceService, type TraceService } from '../../../src/traces/service/trace-service.ts';
import { createPartition, dropPartition, listPartitions } from '../../../src/traces/store/partitions.ts';
import { DAY_US } from '../../../src/traces/time-range.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 30;
const MODELS = ['small', 'medium', 'large', 'code'];
const ROWS_PER_STATEMENT = 250_000;
/** At once, on two cores. */
const LOADERS = 2;
const WORKSPACE = '0198c0de-0000-7000-8000-000000000001';
const KIBIBYTE = 1024;

export const scope = {
  principal: 'bench',
  permissions: new Set(['observability:read']),
  organization_id: '0198c0de-0000-7000-8000-000000000002',
  workspace_id: WORKSPACE,
  user_id: '0198c0de-0000-7000-8000-000000000003',
  key_id: '0198c0de-0000-7000-8000-000000000004',
} as unknown as Scope;

export type Opened = { database: Database; traces: TraceService; file: string };

export async function openTraces(directory: string, url: string | undefined): Promise<Opened> {
  const log = createLog('silent');
  const file = join(directory, 'spans.db');
  const database = await openDatabase(url ? { kind: 'postgres', url } : { kind: 'sqlite', file });
  await migrate(database, migrations, '99.0.0', new Date().toISOString());
  const traces = createTraceService({
    ...{ database, log, now: Date.now, isOn: true, retentionDays: DAYS + 1 },
    audit: createAuditService({ database, now: Date.now }),
    tokens: createPageTokens('bench'),
    contents: { isAllowed: true, retentionDays: DAYS, charactersMax: 64 * KIBIBYTE, redact: [] },
  });
  await traces.start();
  return { database, traces, file };
}

/**
 * Spans of the last thirty days, oldest first, made by the database itself: in JavaScript ten million take longer to write
 * than to measure. On PostgreSQL each day has its partition, as on a server that has run for so long.
 */
export async function loadSpans(opened: Opened, count: number, progress: (done: number) => void): Promise<void> {
  const { database } = opened;
  const isPostgres = database.kind === 'postgres';
  const firstUs = (Date.now() - DAYS * DAY_MS) * 1000;
  const everyUs = (DAYS * DAY_MS * 1000) / count;
  if (isPostgres) await makePartitions(database, firstUs);
  else
    await change(
      database,
      [...INDEXES.keys()].map((name) => `drop index ${name}`),
    );
  const starts = Array.from({ length: Math.ceil(count / ROWS_PER_STATEMENT) }, (_, i) => i * ROWS_PER_STATEMENT);
  let done = 0;
  const load = async () => {
    for (let from = starts.shift(); from !== undefined; from = starts.shift()) {
      const to = Math.min(count, from + ROWS_PER_STATEMENT);
      await sql.raw(insertText(isPostgres, from, to, firstUs, everyUs)).execute(database.db);
      done += to - from;
      progress(done);
    }
  };
  await Promise.all(Array.from({ length: isPostgres ? LOADERS : 1 }, load));
  if (!isPostgres) await change(database, [...INDEXES.values()]);
  await sql`analyze`.execute(database.db);
}

async function change(database: Database, statements: readonly string[]): Promise<void> {
  await database.transaction(async (tx) => {
    for (const text of statements) await sql.raw(text).execute(tx);
  });
}

async function makePartitions(database: Database, firstUs: number): Promise<void> {
  const known = await listPartitions(database.db);
  const firstDay = Math.floor(firstUs / DAY_US) * DAY_US;
  await database.transaction(async (tx) => {
    for (const partition of known.filter(({ fromUs }) => fromUs === Number.NEGATIVE_INFINITY))
      await dropPartition(tx, partition);
    for (let fromUs = firstDay; fromUs <= Date.now() * 1000; fromUs += DAY_US)
      if (!known.some((one) => one.fromUs === fromUs))
        await createPartition(tx, { name: `spans_day_${fromUs / DAY_US}`, fromUs, toUs: fromUs + DAY_US });
  });
}

/** Sorting once is quicker than inserting each random id into a tree of ten million. */
const INDEXES = new Map([
  ['spans_by_trace', 'create index spans_by_trace on spans (workspace_id, trace_id)'],
  [
    'spans_by_conversation',
    "create index spans_by_conversation on spans (workspace_id, conversation_id, start_us) where conversation_id <> ''",
  ],
  ['spans_by_error', "create index spans_by_error on spans (workspace_id, start_us) where status_code = 'Error'"],
]);

/** The rows `from` up to `to` in one statement; `i` is the number of a span. */
function insertText(isPostgres: boolean, from: number, to: number, firstUs: number, everyUs: number): string {
  const text = (value: string) => `'${value}'`;
  const random = (bytes: number) =>
    isPostgres ? `substr(md5(i || '-' || random()), 1, ${bytes * 2})` : `lower(hex(randomblob(${bytes})))`;
  const model = `case i % 4 ${MODELS.map((name, n) => `when ${n} then '${name}'`).join(' ')} end`;
  const isError = 'i % 100 = 0';
  const columns: Record<keyof Span, string> = {
    workspace_id: text(WORKSPACE),
    start_us: `cast(${firstUs} + i * ${everyUs} as bigint)`,
    span_id: random(8),
    trace_id: random(16),
    parent_span_id: text(''),
    organization_id: text(scope.organization_id),
    user_id: text(scope.user_id),
    key_id: text(scope.key_id),
    is_root: 'true',
    span_name: `'chat ' || ${model}`,
    span_kind: text('Server'),
    service_name: text('tramontane'),
    status_code: `case when ${isError} then 'Error' else 'Unset' end`,
    error_type: `case when ${isError} then 'model_unavailable' else '' end`,
    http_status: `case when ${isError} then 503 else 200 end`,
    operation_name: text('chat'),
    provider_name: text('tramontane'),
    request_model: model,
    response_model: model,
    response_id: text(''),
    request_id: "'bench-' || i",
    conversation_id: "case when i % 10 = 0 then 'conv_' || (i % 5000) else '' end",
    ...{ agent_id: text(''), workflow_name: text(''), prompt_name: text(''), tool_name: text('') },
    duration_ns: '(100 + i % 2000) * 1000000',
    first_token_ns: '80000000',
    usage_input_tokens: '500',
    usage_output_tokens: 'i % 300',
    usage_cache_read_input_tokens: '0',
    cost_micros: '100',
    details: 'null',
  };
  const numbers = isPostgres
    ? `generate_series(${from}::bigint, ${to - 1}) as n(i)`
    : `(with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to - 1}) select i from n)`;
  return `insert into spans (${Object.keys(columns).join(', ')})
    select ${Object.values(columns).join(', ')} from ${numbers}`;
}

/** On disk, indexes included. */
export async function bytesPerSpan({ database, file }: Opened, count: number): Promise<number> {
  if (database.kind === 'sqlite') {
    await sql`pragma wal_checkpoint(truncate)`.execute(database.db);
    return statSync(file).size / count;
  }
  const size = sql<{
    bytes: number;
  }>`select sum(pg_total_relation_size(relid)) as bytes from pg_partition_tree('spans')`;
  return Number((await size.execute(database.db)).rows[0]?.bytes ?? 0) / count;
}
