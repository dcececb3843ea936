import { isoMicros } from '../../../kit/base/clock.ts';
import { workflowErrors } from '../../errors.ts';
import { hasEnded } from '../../schema/statuses.ts';
import type { RunRow } from '../../store/run-tables.ts';
import type { StartExecution } from './engine.ts';
import type { RunUnit } from './run-unit.ts';

type Now = Pick<RunUnit, 'clock' | 'nowMs'>;

export type NewRun = Omit<StartExecution, 'executionId' | 'within' | 'parent'> & {
  executionId: string;
  runId: string;
  /** False for a generated id, which cannot be taken. */
  isNamedByCaller: boolean;
  parent?: Parent | undefined;
};

type Parent = {
  executionId: string;
  runId: string;
  rootExecutionId: string;
  chainRunId: string | null;
  initiatedEventId: number;
  seq: number;
  isWaiting: boolean;
  closePolicy: NonNullable<RunRow['parent_close_policy']>;
};

/** Throws if a run of this execution id is open. */
export async function takeName(unit: RunUnit, workspaceId: string, executionId: string): Promise<void> {
  const latest = await unit.findLatest(workspaceId, executionId);
  if (!latest) return;
  if (!hasEnded(latest.row.status)) throw workflowErrors.execution_already_started(executionId);
  latest.row.is_latest = false;
}

export function newRunRow(unit: Now, request: NewRun): RunRow {
  const { parent, runId } = request;
  return {
    run_id: runId,
    version: 1,
    organization_id: request.organizationId,
    workspace_id: request.workspaceId,
    user_id: request.userId,
    execution_id: request.executionId,
    is_latest: true,
    has_children: false,
    workflow_id: request.workflowId,
    workflow_name: request.workflowName,
    display_name: request.displayName,
    registration_id: request.registrationId,
    deployment_name: request.deploymentName,
    root_execution_id: parent?.rootExecutionId ?? request.executionId,
    parent_execution_id: parent?.executionId ?? null,
    parent_run_id: parent?.runId ?? null,
    parent_seq: parent?.seq ?? null,
    parent_initiated_id: parent?.initiatedEventId ?? null,
    parent_waits: parent?.isWaiting ?? false,
    parent_close_policy: parent?.closePolicy ?? null,
    schedule_id: request.scheduleId ?? null,
    first_run_id: runId,
    continued_run_id: null,
    chain_run_id: parent?.chainRunId ?? null,
    metadata: request.metadata ?? null,
    search_key_paths: request.searchKeyPaths,
    timeout_ms: request.executionTimeoutMs,
    deadline_ms: request.executionTimeoutMs > 0 ? unit.nowMs + request.executionTimeoutMs : null,
    ...freshState(unit),
  };
}

type Fresh = Omit<RunRow, Exclude<keyof RunRow, keyof ReturnType<typeof freshValues>>>;

/** The state of every new run, also of one that continues or resets another. */
export function freshState(unit: Now): Fresh {
  return freshValues(isoMicros(unit.clock));
}

function freshValues(started_at: string) {
  return {
    started_at,
    ended_at: null,
    status: 'RUNNING' as const,
    result: null,
    failure: null,
    cancel_requested: false,
    last_event_id: 0,
    history_bytes: 0,
    turn_scheduled_id: null,
    turn_attempt: 1,
    buffered: null,
    ready_ms: null,
    lease_seq: 0,
    lease_worker: null,
    lease_until_ms: null,
    sticky_worker: null,
    sticky_event_id: 0,
    due_ms: null,
    deaths: 0,
    lost_ms: null,
    quarantined_at: null,
    quarantine_reason: null,
  };
}
