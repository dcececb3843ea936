import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  HeartbeatRequest,
  HeartbeatResponse,
  RegisterRequest,
  RegisterResponse,
  WhoAmIResponse,
} from '../schema/workers.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const tags = ['workflows.workers'];

/** Registration and heartbeats of workers. */
export function workerRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/workflows/workers/whoami',
      operationId: 'workflows_workers_whoami',
      summary: 'Read the identity of a worker and where to poll for tasks',
      tags,
      permission: 'workflows:work',
      response: WhoAmIResponse,
      handler: ({ scope, origin }) => workflows.registry.whoami(scope, origin),
    }),
    route({
      method: 'POST',
      path: '/v1/workflows/register',
      operationId: 'workflows_register',
      summary: 'Register a worker and its workflows',
      tags,
      permission: 'workflows:work',
      body: RegisterRequest,
      response: RegisterResponse,
      handler: ({ scope, body }) => workflows.registry.register(scope, body),
    }),
    route({
      method: 'POST',
      path: '/v1/workflows/workers/heartbeat',
      operationId: 'workflows_workers_heartbeat',
      summary: 'Send a heartbeat; a worker counts as gone after 50 seconds without one',
      tags,
      permission: 'workflows:work',
      body: HeartbeatRequest,
      response: HeartbeatResponse,
      handler: ({ scope, body }) => workflows.registry.heartbeat(scope, body),
    }),
  ];
}
