import type { Registry } from 'prom-client';
import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import type { PageTokens, Scope } from '../../kit/http/index.ts';
import type { UsageRecord, WorkSpan } from '../../metering/index.ts';
import { createContentSwitch } from '../content/content-switch.ts';
import { createRedactor, type RedactionRule } from '../content/redactor.ts';
import { traceErrors } from '../errors.ts';
import { keepPartitions } from '../keep-partitions.ts';
import { type ExportResult, type SentExport, takeExport, takeLogs } from '../otlp/take-export.ts';
import { type TraceNames, toDefinition, toTime, toWireSpan, toWireTrace } from '../render.ts';
import { aggregationsOf, type Field, spanFields, traceFields } from '../schema/fields.ts';
import type {
  AggregationRequest,
  AggregationResult,
  Feed,
  GetSpan,
  GetTrace,
  OtelFieldDefinition,
  PageQuery,
  SpansRequest,
  TimeRange,
} from '../schema/wire.ts';
import { createSpanSink } from '../span-sink.ts';
import { aggregate } from '../store/aggregate.ts';
import {
  deleteSpansBefore,
  findNextWorkspace,
  findSpan,
  findTrace,
  listNames,
  listOptions,
  listTraceSpans,
  type SpanPosition,
  searchSpans,
  searchTraces,
} from '../store/spans.ts';
import { DAY_US, toBucket, toRange } from '../time-range.ts';
import { type ContentRules, type ContentService, createContentService } from './content-service.ts';
import { createFeedbackService, type FeedbackService } from './feedback-service.ts';
import { createLogService, type LogService } from './log-service.ts';
import { type Caller, createSearches, toCondition } from './searches.ts';

const OPTIONS_MAX = 100;
const PRUNED_ROWS = 1000;
/** Of one key within a second: whoever is refused a thousand times needs no thousand rows. */
const REFUSALS_MAX = 20;
const REFUSALS_MS = 1000;

export type Subject = 'spans' | 'traces';

export type TraceService = {
  /** For every metered request: synchronous, and never in the way. */
  record(record: UsageRecord, costMicros: number): void;
  /** For requests that limits refused, which nobody meters. */
  refused(record: UsageRecord): void;
  /** Whether what is said in a request is kept. */
  keepsContent(call: { scope: Pick<Scope, 'workspace_id'>; requestId: string }): boolean;
  /** For work of other rooms. */
  recordSpan(span: WorkSpan): void;
  /** Takes spans of a client, as OTLP has them. */
  export(scope: Scope, sent: SentExport): Promise<ExportResult>;
  exportLogs(scope: Scope, sent: SentExport): Promise<ExportResult>;
  contents: ContentService;
  feedback: FeedbackService;
  logs: LogService;
  searchSpans(caller: Caller, query: PageQuery, body: SpansRequest): Promise<Feed<GetSpan>>;
  searchTraces(caller: Caller, query: PageQuery, body: SpansRequest): Promise<Feed<GetTrace>>;
  getTrace(scope: Scope, traceId: string): Promise<GetTrace>;
  listTraceSpans(scope: Scope, traceId: string, query: PageQuery): Promise<Feed<GetSpan>>;
  getSpan(scope: Scope, traceId: string, spanId: string): Promise<GetSpan>;
  listFields(subject: Subject): OtelFieldDefinition[];
  listOptions(caller: Caller, subject: Subject, name: string, range: TimeRange): Promise<string[] | null>;
  aggregate(caller: Caller, subject: Subject, range: TimeRange, body: AggregationRequest): Promise<AggregationResult>;
  /** Deletes what is older than the operator keeps. */
  prune(): Promise<void>;
  flush(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type TracePorts = {
  database: Database;
  audit: AuditService;
  now: Clock;
  log: Logger;
  tokens: PageTokens;
  retentionDays: number;
  /** Whether requests become spans. */
  isOn: boolean;
  /** Where the price of a model is from, if not from the file. */
  priceSource?: ((model: string) => string | undefined) | undefined;
  contents: Omit<ContentRules, 'redactionRules'> & { redact: readonly RedactionRule[] };
  registry?: Registry | undefined;
};

export function createTraceService(ports: TracePorts): TraceService {
  const { database, now, tokens, retentionDays, isOn } = ports;
  const { db, kind } = database;
  const retentionUs = retentionDays * DAY_US;
  const { redact: redactionRules, ...allowed } = ports.contents;
  const redact = createRedactor(redactionRules);
  const sink = createSpanSink({ ...ports, redact, charactersMax: allowed.charactersMax });
  const switches = createContentSwitch({ database, now, isAllowed: isOn && allowed.isAllowed });
  const flush = () => sink.flush().then(() => sink.flush());
  const read = createSearches(database);
  const rules = { ...allowed, redactionRules: redactionRules.length };
  const contents = createContentService({ ...ports, rules, switches, flush });
  const logs = createLogService({ ...ports, retentionUs, search: read });
  const taking = { sink, now, retentionUs, redact, keeps: switches.keeps };
  const refusals = new Map<string, number>();
  let refusalsSince = 0;

  function planSearch(list: string, scope: Scope, query: PageQuery, expression: string, fields: readonly Field[]) {
    const range = toRange(query, now(), retentionUs);
    const question = [list, scope.workspace_id, query.from ?? '', query.to ?? '', expression];
    const after = query.cursor ? (tokens.read(question, query.cursor) as SpanPosition) : undefined;
    const search = {
      workspaceId: scope.workspace_id,
      ...range,
      condition: toCondition(expression, fields),
      after,
      limit: query.page_size + 1,
    };
    return { search, question };
  }

  /** One more row than a page was read, which tells whether there are more. */
  function toFeed<R extends { start_us: number; span_id: string }, T>(
    { page_size }: PageQuery,
    path: string,
    question: string[],
    rows: R[],
    toWire: (row: R) => T,
  ): Feed<T> {
    const page = rows.slice(0, page_size);
    const last = rows.length > page_size ? page.at(-1) : undefined;
    const position = last && { startUs: last.start_us, spanId: last.span_id };
    const cursor = position ? tokens.write(question, position) : null;
    const next = cursor && `${path}?page_size=${page_size}&cursor=${encodeURIComponent(cursor)}`;
    return { results: page.map(toWire), next, cursor };
  }

  /** What is read by its id may still wait to be written. */
  async function flushed<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
    const found = await look();
    if (found !== undefined) return found;
    await flush();
    return look();
  }

  async function namesOf(workspaceId: string, traceIds: string[]): Promise<(traceId: string) => TraceNames> {
    const names = new Map<string, { models: Set<string>; tools: Set<string> }>();
    for (const { trace_id, model, tool } of await listNames(db, workspaceId, traceIds)) {
      const known = names.get(trace_id) ?? { models: new Set(), tools: new Set() };
      names.set(trace_id, known);
      if (model) known.models.add(model);
      if (tool) known.tools.add(tool);
    }
    return (traceId) => ({
      models: [...(names.get(traceId)?.models ?? [])],
      tools: [...(names.get(traceId)?.tools ?? [])],
    });
  }

  return {
    record(record, costMicros) {
      if (isOn) sink.record(record, costMicros);
    },
    refused(record) {
      if (!isOn) return;
      if (now() - refusalsSince >= REFUSALS_MS) {
        refusals.clear();
        refusalsSince = now();
      }
      const { key_id, user_id } = record.scope;
      const count = (refusals.get(key_id || user_id) ?? 0) + 1;
      refusals.set(key_id || user_id, count);
      if (count <= REFUSALS_MAX) sink.record(record, 0);
    },
    keepsContent: ({ scope, requestId }) => switches.keeps(scope.workspace_id, requestId),
    recordSpan(span) {
      if (!isOn) return;
      const isKept = span.content && switches.keeps(span.scope.workspace_id, span.requestId ?? span.place.traceId);
      sink.work(isKept ? span : { ...span, content: undefined });
    },
    export: (scope, sent) => takeExport(taking, scope, sent),
    exportLogs: (scope, sent) => takeLogs(taking, scope, sent),
    contents,
    feedback: createFeedbackService({ ...ports, flush }),
    logs,
    async searchSpans(caller, query, { search_expression }) {
      const { scope } = caller;
      const { search, question } = planSearch('spans', scope, query, search_expression ?? '', spanFields);
      const rows = await read(caller, searchSpans(db, kind, search));
      const ids = rows.map(({ span_id }) => span_id);
      const said = await contents.find(scope.workspace_id, ids);
      return toFeed(query, '/v1/observability/spans/search', question, rows, (row) =>
        toWireSpan(row, said.get(row.span_id)),
      );
    },
    async searchTraces(caller, query, { search_expression }) {
      const { scope } = caller;
      const { search, question } = planSearch('traces', scope, query, search_expression ?? '', traceFields);
      const rows = await read(caller, searchTraces(db, kind, search));
      const ids = rows.map(({ trace_id }) => trace_id);
      const namesIn = await namesOf(scope.workspace_id, ids);
      return toFeed(query, '/v1/observability/traces/search', question, rows, (row) =>
        toWireTrace(row, namesIn(row.trace_id)),
      );
    },
    async getTrace({ workspace_id }, traceId) {
      const row = await flushed(() => findTrace(db, kind, workspace_id, traceId));
      if (!row) throw traceErrors.trace_not_found(traceId);
      return toWireTrace(row, (await namesOf(workspace_id, [row.trace_id]))(row.trace_id));
    },
    async listTraceSpans({ workspace_id }, traceId, query) {
      const question = ['trace-spans', workspace_id, traceId];
      const after = query.cursor ? (tokens.read(question, query.cursor) as SpanPosition) : undefined;
      const list = () => listTraceSpans(db, workspace_id, traceId, after, query.page_size + 1);
      const rows = (await flushed(async () => nonEmpty(await list()))) ?? [];
      if (rows.length === 0 && !after) throw traceErrors.trace_not_found(traceId);
      const ids = rows.map(({ span_id }) => span_id);
      const said = await contents.find(workspace_id, ids);
      const path = `/v1/observability/traces/${traceId}/spans`;
      return toFeed(query, path, question, rows, (row) => toWireSpan(row, said.get(row.span_id)));
    },
    async getSpan({ workspace_id }, traceId, spanId) {
      const span = await flushed(() => findSpan(db, workspace_id, traceId, spanId));
      if (!span) throw traceErrors.span_not_found(spanId);
      return toWireSpan(span, (await contents.find(workspace_id, [spanId])).get(spanId));
    },
    listFields: (subject) => fieldsOf(subject).map(toDefinition),
    async listOptions(caller, subject, name, range) {
      const field = fieldsOf(subject).find((one) => one.name === name);
      if (!field) throw traceErrors.field_not_found(name);
      if (field.type !== 'ENUM' && field.type !== 'TEXT') return null;
      const searched = { workspaceId: caller.scope.workspace_id, ...toRange(range, now(), DAY_US) };
      const rows = await read(caller, listOptions(db, kind, searched, field, subject === 'traces', OPTIONS_MAX));
      return rows.flatMap(({ value }) => (value ? [value] : []));
    },
    async aggregate(caller, subject, range, body) {
      const { fromUs, toUs } = toRange(range, now(), DAY_US);
      const fields = fieldsOf(subject);
      const measure = findField(fields, body.metric.measure, ['body', 'metric', 'measure']);
      const { aggregation } = body.metric;
      if (!aggregationsOf(measure).includes(aggregation))
        throw traceErrors.aggregation_not_valid(
          ['body', 'metric', 'aggregation'],
          `'${measure.name}' can be aggregated by ${aggregationsOf(measure).join(', ')}`,
          aggregation,
        );
      const names = body.dimensions;
      const dimensions = names.map((name, i) => findField(fields, name, ['body', 'dimensions', i]));
      const time = body.time_dimension && toBucket(body.time_dimension.granularity, toUs - fromUs);
      const columns = [...names, ...(time ? ['time_bucket'] : []), 'metric_value'];
      const rows = await read(
        caller,
        aggregate(db, kind, {
          ...{ workspaceId: caller.scope.workspace_id, fromUs, toUs, measure, aggregation, dimensions },
          isTrace: subject === 'traces',
          bucket: time?.bucket,
          condition: toCondition(body.search_expression ?? '', fields),
          order: orderOf(body, columns),
          limit: body.limit,
        }),
      );
      return {
        data: rows.map((row) => ({
          metric_name: `${aggregation}_${measure.name}`,
          time_bucket: time ? toTime(Number(row.bucket)) : null,
          dimensions: Object.fromEntries(names.map((name, i) => [name, row[`d${i}`] ?? null])),
          metric_value: row.value === null ? null : Number(row.value),
        })),
        meta: {
          from_timestamp: toTime(fromUs),
          to_timestamp: toTime(toUs),
          granularity_seconds: time?.seconds ?? null,
        },
      };
    },
    async prune() {
      const oldestUs = now() * 1000 - retentionUs;
      // A day's partition is dropped whole, so its rows stay until its last one is too old.
      const beforeUs = kind === 'postgres' ? Math.floor(oldestUs / DAY_US) * DAY_US : oldestUs;
      if (kind === 'postgres') await keepPartitions(ports, beforeUs);
      for (const table of ['spans', 'span_feedback'] as const) {
        let workspace = await findNextWorkspace(db, table, '');
        while (workspace !== undefined) {
          const id = workspace;
          while (await database.transaction((tx) => deleteSpansBefore(tx, id, beforeUs, PRUNED_ROWS)));
          workspace = await findNextWorkspace(db, table, id);
        }
      }
      await contents.prune();
      await logs.prune();
    },
    flush,
    start: () => switches.start(),
    async stop() {
      await switches.stop();
      await sink.stop();
    },
  };
}

const nonEmpty = <T>(rows: T[]): T[] | undefined => (rows.length > 0 ? rows : undefined);

const fieldsOf = (subject: Subject): readonly Field[] => (subject === 'spans' ? spanFields : traceFields);

function findField(fields: readonly Field[], name: string, loc: (string | number)[]): Field {
  const field = fields.find((one) => one.name === name && one.type !== 'MAP' && one.type !== 'ARRAY');
  if (!field) throw traceErrors.aggregation_not_valid(loc, `There is no field '${name}' that can be aggregated`, name);
  return field;
}

/** Newest bucket last and largest value first, unless the request says otherwise. */
function orderOf({ order_by, time_dimension }: AggregationRequest, columns: string[]) {
  if (!order_by?.length)
    return [
      { column: columns.indexOf(time_dimension ? 'time_bucket' : 'metric_value'), isDescending: !time_dimension },
    ];
  return order_by.map(({ field, direction }, i) => {
    const column = columns.indexOf(field);
    if (column < 0)
      throw traceErrors.aggregation_not_valid(
        ['body', 'order_by', i, 'field'],
        `The result has no column '${field}'; it has ${columns.join(', ')}`,
        field,
      );
    return { column, isDescending: direction === 'desc' };
  });
}
