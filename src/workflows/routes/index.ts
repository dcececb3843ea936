import type { AnyRoute } from '../../kit/http/index.ts';
import type { WorkflowService } from '../service/workflow-service.ts';
import { deploymentRoutes } from './deployments.ts';
import { eventRoutes } from './events.ts';
import { executeRoutes } from './execute.ts';
import { executionRoutes } from './executions.ts';
import { logRoutes } from './logs.ts';
import { runRoutes } from './runs.ts';
import { scheduleRoutes } from './schedules.ts';
import { temporalWorkerRoutes } from './temporal-workers.ts';
import { traceRoutes } from './traces.ts';
import { workerEventRoutes } from './worker-events.ts';
import { workerExecutionRoutes } from './worker-executions.ts';
import { workerTaskRoutes } from './worker-tasks.ts';
import { workerRoutes } from './workers.ts';
import { catalogueRoutes } from './workflows.ts';

/** Fixed path segments win over workflow names, whatever the order here. */
export function workflowRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    ...workerRoutes(workflows),
    ...workerTaskRoutes(workflows),
    ...temporalWorkerRoutes(workflows),
    ...workerEventRoutes(workflows),
    ...workerExecutionRoutes(workflows),
    ...catalogueRoutes(workflows),
    ...executeRoutes(workflows),
    ...executionRoutes(workflows),
    ...eventRoutes(workflows),
    ...runRoutes(workflows),
    ...scheduleRoutes(workflows),
    ...deploymentRoutes(workflows),
    ...logRoutes(workflows),
    ...traceRoutes(workflows),
  ];
}
