import type { AnyRoute } from '../../kit/http/index.ts';
import type { WorkflowService } from '../service/workflow-service.ts';
import { executeRoutes } from './execute.ts';
import { executionRoutes } from './executions.ts';
import { workerRoutes } from './workers.ts';

/** Fixed words of the paths come before the names of workflows; Fastify prefers them whatever the order. */
export function workflowRoutes(workflows: WorkflowService): AnyRoute[] {
  return [...workerRoutes(workflows), ...executeRoutes(workflows), ...executionRoutes(workflows)];
}
