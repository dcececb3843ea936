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
      summary: 'Tell a worker whose it is and where its tasks come from',
      tags,
      permission: 'workflows:work',
      response: WhoAmIResponse,
      handler: ({ scope, origin }) => workflows.registry.whoami(scope, origin),
    }),
    route({
      method: 'POST',
      path: '/v1/workflows/register',
      operationId: 'workflows_register',
      summary: 'Register what a worker serves',
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
      summary: 'Say that a worker is there; it counts as gone 50 seconds after its last word',
      tags,
      permission: 'workflows:work',
      body: HeartbeatRequest,
      response: HeartbeatResponse,
      handler: ({ scope, body }) => workflows.registry.heartbeat(scope, body),
    }),
  ];
}
