import { ApiError } from '../../kit/http/index.ts';
import type { Execution } from './engine.ts';
import { hasEnded } from './statuses.ts';
import type { RunRow } from './tables.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** Values as they are kept; who shows them unpacks them first. */
export function toExecution(row: RunRow): Execution {
  return {
    executionId: row.execution_id,
    runId: row.run_id,
    workflowId: row.workflow_id,
    workflowName: row.workflow_name,
    registrationId: row.registration_id,
    deploymentName: row.deployment_name,
    rootExecutionId: row.root_execution_id,
    parentExecutionId: row.parent_execution_id,
    userId: row.user_id,
    scheduleId: row.schedule_id,
    status: row.status,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    result: row.result,
    failure: row.failure,
  };
}

/** The run that a client means; another workspace's looks missing. */
export async function findOpen(unit: WorkUnit, workspaceId: string, executionId: string): Promise<RunState> {
  const run = await unit.findLatest(workspaceId, executionId);
  if (!run) throw executionNotFound(executionId);
  if (hasEnded(run.row.status)) throw notRunning(run.row);
  return run;
}

export function executionNotFound(executionId: string): ApiError {
  return new ApiError(
    404,
    `No execution '${executionId}' was found. Check the id, and that the key belongs to its workspace.`,
    { code: 'WF_1100' },
  );
}

function notRunning({ execution_id, status }: RunRow): ApiError {
  const detail = `The execution '${execution_id}' is not running any more: it is ${status}.`;
  return new ApiError(409, detail, { code: 'WF_1102', body: { detail, code: 'WF_1102', status } });
}
