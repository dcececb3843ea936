import { type AnyRoute, route } from '../../kit/http/index.ts';
import { ExecutionParams } from '../schema/executions.ts';
import {
  ExecutionTraceInfoResponse,
  TraceEventsQuery,
  WorkflowExecutionTraceEventsResponse,
  WorkflowExecutionTraceOTelResponse,
  WorkflowExecutionTraceSummaryResponse,
} from '../schema/traces.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const read = {
  method: 'GET' as const,
  tags: ['workflows.executions'],
  permission: 'workflows:read',
  params: ExecutionParams,
};

export function traceRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      ...read,
      path: '/v1/workflows/executions/:execution_id/trace/info',
      operationId: 'get_workflow_execution_trace_info',
      summary: 'Read the trace id of an execution',
      response: ExecutionTraceInfoResponse,
      handler: ({ scope, params }) => workflows.traces.info(scope, params.execution_id),
    }),
    route({
      ...read,
      path: '/v1/workflows/executions/:execution_id/trace/otel',
      operationId: 'get_workflow_execution_trace_otel',
      summary: 'Read the trace of an execution as OpenTelemetry spans',
      response: WorkflowExecutionTraceOTelResponse,
      handler: ({ scope, params }) => workflows.traces.otel(scope, params.execution_id),
    }),
    route({
      ...read,
      path: '/v1/workflows/executions/:execution_id/trace/summary',
      operationId: 'get_workflow_execution_trace_summary',
      summary: 'Read the trace of an execution as a tree of spans',
      response: WorkflowExecutionTraceSummaryResponse,
      handler: ({ scope, params }) => workflows.traces.summary(scope, params.execution_id),
    }),
    route({
      ...read,
      path: '/v1/workflows/executions/:execution_id/trace/events',
      operationId: 'get_workflow_execution_trace_events',
      summary: 'Read the trace of an execution as events',
      query: TraceEventsQuery,
      response: WorkflowExecutionTraceEventsResponse,
      handler: ({ scope, params, query }) => workflows.traces.events(scope, params.execution_id, query),
    }),
  ];
}
