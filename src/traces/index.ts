export { traceErrors } from './errors.ts';
export { ExpressionMistake, parseExpression } from './expression.ts';
export { toDefinition, toTime } from './render.ts';
export { observabilityErrorStyle } from './render-error.ts';
export { traceRoutes } from './routes/index.ts';
export { aggregationsOf, type Field, spanFields } from './schema/fields.ts';
export {
  AggregationRequest,
  AggregationResult,
  FieldParams,
  type GetSpan,
  GetSpanFieldOptions,
  GetSpanFields,
  type OtelFieldDefinition,
  PageQuery,
  SpanId,
  TimeRange,
  TraceId,
} from './schema/wire.ts';
export type { Forgotten } from './service/content-service.ts';
export { createTraceService, type TraceService } from './service/trace-service.ts';
export { aggregate } from './store/aggregate.ts';
export { found as searchedRows, listOptions, type SpanSearch } from './store/spans.ts';
export { DAY_US, toBucket, toRange } from './time-range.ts';
