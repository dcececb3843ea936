import type { Clock } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { WorkflowEngine } from '../engine/engine.ts';
import { createExecute, type Execute } from './execute.ts';
import { createExecutions, type ExecutionService } from './executions.ts';
import { createRegistry, type RegistryService } from './registry.ts';
import { createStartRouter } from './route-start.ts';

export type WorkflowService = {
  registry: RegistryService;
  execute: Execute;
  executions: ExecutionService;
};

export function createWorkflowService(deps: {
  database: Database;
  engine: WorkflowEngine;
  now: Clock;
}): WorkflowService {
  const router = createStartRouter(deps);
  return {
    registry: createRegistry(deps),
    execute: createExecute({ ...deps, router }),
    executions: createExecutions(deps),
  };
}
