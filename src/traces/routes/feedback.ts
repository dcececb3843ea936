import { type AnyRoute, route } from '../../kit/http/index.ts';
import { Feedback, FeedbackList, FeedbackRequest } from '../schema/feedback.ts';
import { SpanParams, TraceParams } from '../schema/wire.ts';
import type { TraceService } from '../service/trace-service.ts';

const OF_TRACE = '/v1/observability/traces/:trace_id/feedback';
const OF_SPAN = '/v1/observability/traces/:trace_id/spans/:span_id/feedback';

export function feedbackRoutes(traces: TraceService): AnyRoute[] {
  const write = { tags: ['observability'], permission: 'observability:write' };
  return [
    route({
      ...write,
      method: 'PUT',
      path: OF_TRACE,
      operationId: 'observability_give_trace_feedback',
      summary: 'Say what you think of an answer, by the id of its trace',
      params: TraceParams,
      body: FeedbackRequest,
      response: Feedback,
      handler: ({ scope, params, body }) => traces.feedback.give(scope, params.trace_id, undefined, body),
    }),
    route({
      ...write,
      method: 'PUT',
      path: OF_SPAN,
      operationId: 'observability_give_feedback',
      summary: 'Say what you think of an answer',
      params: SpanParams,
      body: FeedbackRequest,
      response: Feedback,
      handler: ({ scope, params, body }) => traces.feedback.give(scope, params.trace_id, params.span_id, body),
    }),
    route({
      tags: ['observability'],
      permission: 'observability:read',
      method: 'GET',
      path: OF_SPAN,
      operationId: 'observability_list_feedback',
      summary: 'List what users think of an answer',
      params: SpanParams,
      response: FeedbackList,
      handler: ({ scope, params }) => traces.feedback.list(scope, params.trace_id, params.span_id),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: OF_SPAN,
      operationId: 'observability_delete_feedback',
      summary: 'Take your feedback back',
      params: SpanParams,
      status: 204,
      handler: ({ scope, params }) => traces.feedback.remove(scope, params.trace_id, params.span_id),
    }),
  ];
}
