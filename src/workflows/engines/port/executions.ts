import { hasEndedAlready, noExecution, onOtherEngine } from '../../errors.ts';
import type { RunState, WorkUnit } from '../embedded/work-unit.ts';
import type { Execution } from './engine.ts';
import { hasEnded } from './statuses.ts';
import type { RunRow } from './tables.ts';

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
  if (!run) throw noExecution(executionId);
  if (hasEnded(run.row.status)) throw hasEndedAlready(executionId, run.row.status);
  if (run.row.last_event_id === 0) throw onOtherEngine(executionId, 'Temporal');
  return run;
}
