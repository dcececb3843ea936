import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  HeartbeatRequest,
  HeartbeatResponse,
  RegisterRequest,
  RegisterResponse,
  WhoAmIResponse,
} from '../schema/workers.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const work = { tags: ['workflows.workers'], permission: 'workflows:work' };

/** Registration and heartbeats of workers. */
export function workerRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      ...work,
      method: 'GET',
      path: '/v1/workflows/workers/whoami',
      operationId: 'workflows_workers_whoami',
      summary: 'Read the identity of a worker and where to poll for tasks',
      response: WhoAmIResponse,
      handler: ({ scope, origin }) => workflows.registry.whoami(scope, origin),
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/register',
      stores: true,
      operationId: 'workflows_register',
      summary: 'Register a worker and its workflows',
      body: RegisterRequest,
      largeBody: true,
      response: RegisterResponse,
      handler: ({ scope, body }) => workflows.registry.register(scope, body),
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/workers/heartbeat',
      operationId: 'workflows_workers_heartbeat',
      summary: 'Send a heartbeat; a worker counts as gone after 50 seconds without one',
      body: HeartbeatRequest,
      response: HeartbeatResponse,
      handler: ({ scope, body }) => workflows.registry.heartbeat(scope, body),
    }),
  ];
}
