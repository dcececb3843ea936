import type { Failure } from '../../../../packages/workflows/src/protocol.ts';
import type { Db } from '../../../kit/db/index.ts';
import { type ListedRun, type ListRuns, listRuns } from '../../store/list-runs.ts';
import type { RunRow } from '../../store/run-tables.ts';
import type { Execution } from './engine.ts';
import type { Payloads } from './run-payloads.ts';

export async function unpackExecution(row: RunRow, payloads: Payloads): Promise<Execution> {
  const execution = toExecution(row);
  if (row.result === null) return execution;
  return { ...execution, result: await payloads.unpack(row.workspace_id, row.result) };
}

/** `result` stays packed. */
export function toExecution(row: ListedRun & Partial<Pick<RunRow, 'result' | 'failure'>>): Execution {
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
    result: row.result ?? null,
    failure: row.failure ?? null,
  };
}

export async function listExecutions(
  db: Db,
  workspaceId: string,
  filter: ListRuns,
): Promise<{ executions: Execution[]; next?: string }> {
  const { rows, ...next } = await listRuns(db, workspaceId, filter);
  return { executions: rows.map((row) => toExecution(row)), ...next };
}

export function timeoutFailure({ timeout_ms }: Pick<RunRow, 'timeout_ms'>): Failure {
  const message = `The execution was not done after ${timeout_ms} ms, which is its timeout.`;
  return { message, type: 'ExecutionTimeout' };
}
