import type { Scope } from '../../kit/http/index.ts';
import type { WorkflowEngine } from '../engine/engine.ts';
import { noExecution } from '../errors.ts';
import type { WorkflowExecutionResponse } from '../schema/executions.ts';
import { showExecution } from './show-execution.ts';

export type ExecutionService = {
  get(scope: Scope, executionId: string): Promise<WorkflowExecutionResponse>;
};

export function createExecutions({ engine }: { engine: WorkflowEngine }): ExecutionService {
  return {
    async get(scope, executionId) {
      const execution = await engine.get(scope.workspace_id, executionId);
      if (!execution) throw noExecution(executionId);
      return showExecution(execution);
    },
  };
}
