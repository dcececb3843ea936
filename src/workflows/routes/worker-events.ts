import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  RouteTokenRequest,
  RouteTokenResponse,
  WorkerEventRequest,
  WorkerEventResponse,
  WorkerEventsRequest,
  WorkerEventsResponse,
} from '../schema/worker-events.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const work = { tags: ['workflows.workers'], permission: 'workflows:work' };
/** Workers send batches of up to 2 MB, and a single event may be as large. */
const bodyBytesMax = 8 * 1024 * 1024;

const success = 'success' as const;
const tokenOf = (headers: NodeJS.Dict<string | string[]>) => headers['x-workflow-route-token']?.toString();

/** Events of workers; in v2 a worker first gets a route token for the run. */
export function workerEventRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/events',
      stores: true,
      operationId: 'workflows_workers_send_event',
      summary: 'Publish an event',
      bodyBytesMax,
      body: WorkerEventRequest,
      response: WorkerEventResponse,
      handler: async ({ scope, body }) => {
        await workflows.workerEvents.take(scope, [body.event]);
        return { status: success };
      },
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/events/batch',
      stores: true,
      operationId: 'workflows_workers_send_events',
      summary: 'Publish events in order',
      bodyBytesMax,
      body: WorkerEventsRequest,
      response: WorkerEventsResponse,
      handler: async ({ scope, body }) => {
        await workflows.workerEvents.take(scope, body.events);
        return { status: success, events_received: body.events.length };
      },
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v2/workflows/workers/event-route-token',
      operationId: 'workflows_workers_event_route_token',
      summary: 'Get a route token to publish the events of a run',
      body: RouteTokenRequest,
      response: RouteTokenResponse,
      handler: ({ scope, body }) => workflows.eventRoutes.issue(scope, body),
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v2/workflows/events',
      stores: true,
      operationId: 'workflows_workers_send_event_v2',
      summary: 'Publish an event with a route token',
      bodyBytesMax,
      body: WorkerEventRequest,
      response: WorkerEventResponse,
      handler: async ({ scope, body, headers }) => {
        workflows.eventRoutes.check(scope, tokenOf(headers), [body.event]);
        await workflows.workerEvents.take(scope, [body.event]);
        return { status: success };
      },
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v2/workflows/events/batch',
      stores: true,
      operationId: 'workflows_workers_send_events_v2',
      summary: 'Publish events in order with a route token',
      bodyBytesMax,
      body: WorkerEventsRequest,
      response: WorkerEventsResponse,
      handler: async ({ scope, body, headers }) => {
        workflows.eventRoutes.check(scope, tokenOf(headers), body.events);
        await workflows.workerEvents.take(scope, body.events);
        return { status: success, events_received: body.events.length };
      },
    }),
  ];
}
