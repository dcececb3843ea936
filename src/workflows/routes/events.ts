import { type AnyRoute, route, sse } from '../../kit/http/index.ts';
import { toErrorEvent } from '../events/show-event.ts';
import {
  EventListQuery,
  EventStreamQuery,
  ExecutionStreamQuery,
  ListWorkflowEventResponse,
  StreamEventSse,
} from '../schema/events.ts';
import { ExecutionParams } from '../schema/executions.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const read = { tags: ['workflows.events'], permission: 'workflows:read' };
const resumable = { resumable: true, toErrorEvent };

export function eventRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/events/stream',
      operationId: 'get_stream_events_v1_workflows_events_stream_get',
      summary: 'Stream the events of executions: stored ones, then live ones',
      query: EventStreamQuery,
      streams: StreamEventSse,
      resumes: true,
      handler: async (call) => sse(await workflows.events.stream(call, call.query), resumable),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/events/list',
      operationId: 'get_workflow_events_v1_workflows_events_list_get',
      summary: 'List stored events by execution',
      query: EventListQuery,
      response: ListWorkflowEventResponse,
      large: true,
      handler: ({ scope, query }) => workflows.events.list(scope, query),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/executions/:execution_id/stream',
      operationId: 'stream_v1_workflows_executions__execution_id__stream_get',
      summary: 'Stream the events of one execution',
      params: ExecutionParams,
      query: ExecutionStreamQuery,
      streams: StreamEventSse,
      handler: async (call) =>
        sse(await workflows.events.streamExecution(call, call.params.execution_id, call.query), resumable),
    }),
  ];
}
