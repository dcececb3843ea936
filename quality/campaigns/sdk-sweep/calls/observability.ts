import { equal, ok } from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Chapter } from '../call-typescript.ts';

const SPANS_WRITTEN_MS = 250;
const messages = [{ role: 'user' as const, content: 'Hi' }];
const searchExpression = "operation_name = 'chat' AND request_model = 'small'";

export const spansAndTraces: Chapter = async ({ chat, beta: { observability } }) => {
  const { spans, traces } = observability;
  await chat.complete({ model: 'small', messages });
  const search = async () => (await spans.searchSpans({ spansRequest: { searchExpression } })).spans.results ?? [];
  let [span] = await search();
  for (; !span; [span] = await search()) await setTimeout(SPANS_WRITTEN_MS);
  const { traceId, spanId } = span;
  equal(span.responseModel, 'small');
  equal((await traces.getSpanById({ traceId, spanId })).spanName, span.spanName);
  ok(((await traces.getTraceSpans({ traceId })).spans.results?.length ?? 0) > 0);
  equal((await traces.getTraceById({ traceId })).traceId, traceId);
  ok(((await traces.search({ tracesRequest: {} })).traces.results?.length ?? 0) > 0);
  const aggregationRequest = { metric: { measure: 'span_id', aggregation: 'count' as const } };
  ok(Number((await spans.aggregate({ aggregationRequest })).data[0]?.metricValue) > 0);
  const traceRequest = { metric: { measure: 'trace_id', aggregation: 'count' as const } };
  ok(Number((await traces.aggregate({ aggregationRequest: traceRequest })).data[0]?.metricValue) > 0);
  ok((await spans.listSpanFields()).fieldDefinitions.length > 0);
  ok((await traces.getTraceFields()).fieldDefinitions.length > 0);
  ok((await spans.fetchSpanFieldOptions({ fieldName: 'response_model' })).options?.includes('small'));
  ok(((await traces.fetchOptions({ fieldName: 'root_span_name' })).options?.length ?? 0) > 0);
};
