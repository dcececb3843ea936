import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  AggregationRequest,
  AggregationResult,
  FieldParams,
  GetSpanFieldOptions,
  GetSpanFields,
  PageQuery,
  TimeRange,
} from '../../traces/index.ts';
import {
  GetPipelineResults,
  GetSpanEvaluations,
  PipelineResultsRequest,
  SpanEvaluationsRequest,
} from '../schema/span-evaluations.ts';
import type { SpanEvaluationService } from '../service/span-evaluations.ts';

const PATH = '/v1/observability/spans/evaluations';
const ID = 'v1_observability_spans_evaluations';

export function spanEvaluationRoutes(evaluations: SpanEvaluationService): AnyRoute[] {
  const read = { tags: ['observability'], permission: 'observability:read' };
  return [
    route({
      ...read,
      method: 'POST',
      path: `${PATH}/search`,
      operationId: `search_span_evaluations_${ID}_search_post`,
      summary: 'Search what judges said about spans, newest first',
      query: PageQuery,
      body: SpanEvaluationsRequest,
      response: GetSpanEvaluations,
      handler: async (call) => ({ span_evaluations: await evaluations.search(call, call.query, call.body, false) }),
    }),
    route({
      ...read,
      method: 'POST',
      path: `${PATH}/search/latest`,
      operationId: `search_latest_span_evaluations_${ID}_search_latest_post`,
      summary: 'The same, with only the newest of each span and evaluation',
      query: PageQuery,
      body: SpanEvaluationsRequest,
      response: GetSpanEvaluations,
      handler: async (call) => ({ span_evaluations: await evaluations.search(call, call.query, call.body, true) }),
    }),
    route({
      ...read,
      method: 'POST',
      path: `${PATH}/aggregate`,
      operationId: `aggregate_span_evaluations_${ID}_aggregate_post`,
      summary: 'Count or average what judges said about spans',
      query: TimeRange,
      body: AggregationRequest,
      response: AggregationResult,
      handler: (call) => evaluations.aggregate(call, call.query, call.body),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${PATH}/fields`,
      operationId: `get_span_evaluation_fields_${ID}_fields_get`,
      summary: 'List the fields of span evaluations that can be searched',
      response: GetSpanFields,
      handler: () => ({ field_definitions: evaluations.listFields() }),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${PATH}/fields/:field_name/options`,
      operationId: `get_span_evaluation_field_options_${ID}_fields__field_name__options_get`,
      summary: 'List the values that a field of span evaluations has, most frequent first',
      params: FieldParams,
      query: TimeRange,
      response: GetSpanFieldOptions,
      handler: async (call) => ({
        options: await evaluations.listOptions(call, call.params.field_name, call.query),
      }),
    }),
    route({
      ...read,
      method: 'POST',
      path: '/v1/observability/pipeline-results/search',
      operationId: 'search_pipeline_results_v1_observability_pipeline_results_search_post',
      summary: 'Search the results of pipeline configurations, newest first',
      query: PageQuery,
      body: PipelineResultsRequest,
      response: GetPipelineResults,
      handler: async (call) => ({ pipeline_results: await evaluations.searchResults(call, call.query, call.body) }),
    }),
  ];
}
