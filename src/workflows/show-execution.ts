import type { Execution } from './engines/port/engine.ts';
import type { WorkflowExecutionResponse, WorkflowExecutionWithoutResult } from './schema/executions.ts';

export function showExecution(execution: Execution): WorkflowExecutionResponse {
  return { ...showWithoutResult(execution), result: execution.result };
}

export function showWithoutResult(execution: Execution): WorkflowExecutionWithoutResult {
  const { startedAt, endedAt } = execution;
  return {
    workflow_name: execution.workflowName,
    workflow_id: execution.workflowId,
    deployment_name: execution.deploymentName,
    execution_id: execution.executionId,
    parent_execution_id: execution.parentExecutionId,
    root_execution_id: execution.rootExecutionId,
    run_id: execution.runId,
    user_id: execution.userId,
    status: execution.status,
    start_time: startedAt,
    end_time: endedAt,
    total_duration_ms: endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt),
  };
}

/** The execution as it was right after its start: the response to a repeated request. */
export function asStarted(execution: Execution): Execution {
  return { ...execution, status: 'RUNNING', endedAt: null, result: null, failure: null };
}
