import { type AnyRoute, route, sse } from '../../kit/http/index.ts';
import {
  EventListQuery,
  EventStreamQuery,
  ExecutionStreamQuery,
  ListWorkflowEventResponse,
  StreamEventSse,
} from '../schema/events.ts';
import { ExecutionParams } from '../schema/executions.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const tags = ['workflows.events'];
const resumable = { resumable: true };

export function eventRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/workflows/events/stream',
      operationId: 'get_stream_events_v1_workflows_events_stream_get',
      summary: 'Stream the events of executions: stored ones, then live ones',
      tags,
      permission: 'workflows:read',
      query: EventStreamQuery,
      streams: StreamEventSse,
      resumes: true,
      handler: async (call) => sse(await workflows.events.stream(call, call.query), resumable),
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/events/list',
      operationId: 'get_workflow_events_v1_workflows_events_list_get',
      summary: 'List stored events by execution',
      tags,
      permission: 'workflows:read',
      query: EventListQuery,
      response: ListWorkflowEventResponse,
      handler: ({ scope, query }) => workflows.events.list(scope, query),
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/executions/:execution_id/stream',
      operationId: 'stream_v1_workflows_executions__execution_id__stream_get',
      summary: 'Stream the events of one execution',
      tags,
      permission: 'workflows:read',
      params: ExecutionParams,
      query: ExecutionStreamQuery,
      streams: StreamEventSse,
      handler: async (call) =>
        sse(await workflows.events.streamExecution(call, call.params.execution_id, call.query), resumable),
    }),
  ];
}
