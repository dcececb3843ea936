import type { PageTokens, RequestContext } from '../../kit/http/index.ts';
import {
  type AggregationRequest,
  type AggregationResult,
  aggregate,
  aggregationsOf,
  DAY_US,
  ExpressionMistake,
  type Field,
  type Forgotten,
  listOptions,
  type OtelFieldDefinition,
  type PageQuery,
  parseExpression,
  type TimeRange,
  toBucket,
  toDefinition,
  toRange,
  toTime,
  traceErrors,
} from '../../traces/index.ts';
import type { EvaluationPorts } from '../ports.ts';
import {
  type GetSpanEvaluation,
  type PipelineResult,
  type PipelineResultsRequest,
  spanEvaluationFields,
} from '../schema/span-evaluations.ts';
import { clearExplanations, deleteSpanEvaluationsBefore, searchSpanEvaluations } from '../store/span-evaluations.ts';
import type { SpanEvaluationRow } from '../store/tables.ts';

type Caller = Pick<RequestContext, 'scope'>;
type Feed<T> = { results: T[]; next: string | null; cursor: string | null };
type Body = { search_expression?: string | null | undefined };

export type SpanEvaluationService = {
  search(caller: Caller, query: PageQuery, body: Body, isLatest: boolean): Promise<Feed<GetSpanEvaluation>>;
  searchResults(caller: Caller, query: PageQuery, body: PipelineResultsRequest): Promise<Feed<PipelineResult>>;
  listFields(): OtelFieldDefinition[];
  listOptions(caller: Caller, name: string, range: TimeRange): Promise<string[] | null>;
  aggregate(caller: Caller, range: TimeRange, body: AggregationRequest): Promise<AggregationResult>;
  /** Clears what judges said about contents that are deleted. */
  forget(forgotten: Forgotten): Promise<void>;
  prune(): Promise<void>;
};

const OPTIONS_MAX = 100;
const CLEARED_ROWS = 200;
const TABLE = { table: 'span_evaluations' } as const;

export function createSpanEvaluationService(
  ports: Pick<EvaluationPorts, 'database' | 'now' | 'retentionDays'> & { tokens: PageTokens },
): SpanEvaluationService {
  const { database, now, tokens } = ports;
  const { db, kind } = database;
  const keptUs = ports.retentionDays * DAY_US;

  async function page<T>(
    list: string,
    { scope }: Caller,
    query: PageQuery,
    expression: string,
    more: { isLatest?: boolean; slugs?: readonly string[] },
    toWire: (row: SpanEvaluationRow) => T,
  ): Promise<Feed<T>> {
    const question = [list, scope.workspace_id, query.from ?? '', query.to ?? '', expression, ...(more.slugs ?? [])];
    const after = query.cursor ? (tokens.read(question, query.cursor) as never) : undefined;
    const range = toRange(query, now(), keptUs);
    const condition = toCondition(expression);
    const search = { workspaceId: scope.workspace_id, ...range, condition, after, limit: query.page_size + 1 };
    const rows = await database.readApart(searchSpanEvaluations(db, kind, search, more));
    const shown = rows.slice(0, query.page_size);
    const last = rows.length > query.page_size ? shown.at(-1) : undefined;
    const cursor = last ? tokens.write(question, { startUs: Number(last.start_us), spanId: last.span_id }) : null;
    const next =
      cursor && `/v1/observability/${list}?page_size=${query.page_size}&cursor=${encodeURIComponent(cursor)}`;
    return { results: shown.map(toWire), next, cursor };
  }

  return {
    search: (caller, query, { search_expression }, isLatest) =>
      page(
        isLatest ? 'spans/evaluations/search/latest' : 'spans/evaluations/search',
        caller,
        query,
        search_expression ?? '',
        { isLatest },
        toEvaluation,
      ),
    searchResults: (caller, query, { pipeline_config_slugs: slugs, search_expression }) =>
      page('pipeline-results/search', caller, query, search_expression ?? '', { slugs }, toResult),
    listFields: () => spanEvaluationFields.map(toDefinition),
    async listOptions({ scope }, name, range) {
      const field = spanEvaluationFields.find((one) => one.name === name);
      if (!field) throw traceErrors.field_not_found(name);
      if (field.type !== 'ENUM' && field.type !== 'TEXT') return null;
      const searched = { workspaceId: scope.workspace_id, ...toRange(range, now(), DAY_US), ...TABLE };
      const rows = await database.readApart(listOptions(db, kind, searched, field, false, OPTIONS_MAX));
      return rows.flatMap(({ value }) => (value ? [value] : []));
    },
    async aggregate({ scope }, range, body) {
      const { fromUs, toUs } = toRange(range, now(), DAY_US);
      const { aggregation } = body.metric;
      const measure = findField(body.metric.measure, ['body', 'metric', 'measure']);
      if (!aggregationsOf(measure).includes(aggregation))
        throw traceErrors.aggregation_not_valid(
          ['body', 'metric', 'aggregation'],
          `'${measure.name}' can be aggregated by ${aggregationsOf(measure).join(', ')}`,
          aggregation,
        );
      const dimensions = body.dimensions.map((name, i) => findField(name, ['body', 'dimensions', i]));
      const time = body.time_dimension && toBucket(body.time_dimension.granularity, toUs - fromUs);
      const columns = [...body.dimensions, ...(time ? ['time_bucket'] : []), 'metric_value'];
      const order = body.order_by?.length
        ? body.order_by.map(({ field, direction }, i) => {
            const column = columns.indexOf(field);
            if (column < 0)
              throw traceErrors.aggregation_not_valid(
                ['body', 'order_by', i, 'field'],
                `The result has no column '${field}'; it has ${columns.join(', ')}`,
                field,
              );
            return { column, isDescending: direction === 'desc' };
          })
        : [{ column: columns.indexOf(time ? 'time_bucket' : 'metric_value'), isDescending: !time }];
      const rows = await database.readApart(
        aggregate(db, kind, {
          ...{ workspaceId: scope.workspace_id, fromUs, toUs, ...TABLE, measure, aggregation, dimensions, order },
          isTrace: false,
          bucket: time?.bucket,
          condition: toCondition(body.search_expression ?? ''),
          limit: body.limit,
        }),
      );
      return {
        data: rows.map((row) => ({
          metric_name: `${aggregation}_${measure.name}`,
          time_bucket: time ? toTime(Number(row.bucket)) : null,
          dimensions: Object.fromEntries(body.dimensions.map((name, i) => [name, row[`d${i}`] ?? null])),
          metric_value: row.value === null ? null : Number(row.value),
        })),
        meta: {
          from_timestamp: toTime(fromUs),
          to_timestamp: toTime(toUs),
          granularity_seconds: time?.seconds ?? null,
        },
      };
    },
    async forget(forgotten) {
      while (await database.transaction((tx) => clearExplanations(tx, forgotten, CLEARED_ROWS)));
    },
    prune: () => database.transaction((tx) => deleteSpanEvaluationsBefore(tx, now() * 1000 - keptUs)),
  };
}

function findField(name: string, loc: (string | number)[]): Field {
  const field = spanEvaluationFields.find((one) => one.name === name && one.type !== 'MAP');
  if (!field) throw traceErrors.aggregation_not_valid(loc, `There is no field '${name}' that can be aggregated`, name);
  return field;
}

function toCondition(expression: string) {
  try {
    return parseExpression(expression, spanEvaluationFields);
  } catch (error) {
    if (!(error instanceof ExpressionMistake)) throw error;
    const message = `In the search expression ${error.message}.`;
    throw traceErrors.expression_not_valid(['body', 'search_expression'], message, expression);
  }
}

function toEvaluation(row: SpanEvaluationRow): GetSpanEvaluation {
  const { organization_id, workspace_id, user_id, trace_id, span_id, response_id, conversation_id } = row;
  // A thread of its own reads JSON as text.
  const details = typeof row.details === 'string' ? (JSON.parse(row.details) as typeof row.details) : row.details;
  return {
    customer_id: organization_id,
    ...{ organization_id, workspace_id, user_id, trace_id, span_id, response_id, conversation_id },
    timestamp: toTime(Number(row.start_us)),
    evaluation_name: row.evaluation_name,
    score_value: row.score_value,
    score_label: row.score_label,
    explanation: row.explanation,
    metadata: details?.metadata ?? {},
    service_account_id: '',
  };
}

function toResult(row: SpanEvaluationRow): PipelineResult {
  const name = row.evaluation_name;
  return {
    trace_id: row.trace_id,
    span_id: row.span_id,
    span_name: row.span_name,
    duration_ns: Number(row.duration_ns),
    evaluated_at: toTime(Number(row.start_us)),
    judge_scores: row.score_label === '' ? { [name]: row.score_value } : {},
    judge_labels: row.score_label === '' ? {} : { [name]: row.score_label },
    judge_explanations: { [name]: row.explanation },
  };
}
