import type { Json } from '../../../../packages/workflows/src/protocol.ts';
import { isoMicros } from '../../../kit/base/clock.ts';
import { uuidv7 } from '../../../kit/base/ids.ts';
import { alreadyStarted } from '../../errors.ts';
import type { StartExecution } from '../port/engine.ts';
import { executionStarted } from '../port/project-events.ts';
import { beforePacking } from '../port/run-payloads.ts';
import { searchKeysOf } from '../port/search-keys.ts';
import { hasEnded } from '../port/statuses.ts';
import type { RunRow } from '../port/tables.ts';
import { scheduleTurn } from './notify-run.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

export type NewRun = Omit<StartExecution, 'executionId' | 'within' | 'parent'> & {
  executionId: string;
  runId: string;
  /** False for an id that was made for this run. */
  isNamedByCaller: boolean;
  parent?: Parent | undefined;
};

type Parent = {
  executionId: string;
  runId: string;
  rootExecutionId: string;
  initiatedEventId: number;
  seq: number;
  isWaiting: boolean;
  closePolicy: NonNullable<RunRow['parent_close_policy']>;
};

/** The first run of an execution, with its first turn. */
export async function startRun(unit: WorkUnit, request: NewRun): Promise<RunState> {
  if (request.isNamedByCaller) await takeName(unit, request.workspaceId, request.executionId);
  return addRun(unit, rowOf(unit, request), request.input);
}

/** The name is free for a new run, or this throws. */
export async function takeName(unit: WorkUnit, workspaceId: string, executionId: string): Promise<void> {
  const latest = await unit.findLatest(workspaceId, executionId);
  if (!latest) return;
  if (!hasEnded(latest.row.status)) throw alreadyStarted(executionId);
  latest.row.is_latest = false;
}

/** Also for the runs that go on with an execution. */
export function addRun(unit: WorkUnit, row: RunRow, input: Json): RunState {
  const run = unit.addRun(row);
  unit.append(run, 'WORKFLOW_EXECUTION_STARTED', {
    input,
    workflow_name: row.workflow_name,
    attempt: 1,
    first_run_id: row.first_run_id,
    ...(row.continued_run_id === null ? {} : { continued_run_id: row.continued_run_id }),
    ...(row.parent_run_id === null
      ? {}
      : { parent: { execution_id: row.parent_execution_id, run_id: row.parent_run_id } }),
    ...(row.schedule_id === null ? {} : { schedule_id: row.schedule_id }),
  });
  unit.publish(run, executionStarted(row, input, 1));
  for (const [key, value] of searchKeysOf(row.search_key_paths, beforePacking(input)))
    unit.insertSearchKey(run, key, value);
  scheduleTurn(unit, run);
  return run;
}

export function rowOf(unit: WorkUnit, request: NewRun): RunRow {
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
    metadata: request.metadata ?? null,
    search_key_paths: request.searchKeyPaths,
    timeout_ms: request.executionTimeoutMs,
    deadline_ms: request.executionTimeoutMs > 0 ? unit.nowMs + request.executionTimeoutMs : null,
    ...freshState(unit),
  };
}

type Fresh = Omit<RunRow, Exclude<keyof RunRow, keyof ReturnType<typeof freshValues>>>;

/** What a run begins with, whatever it goes on from. */
export function freshState(unit: WorkUnit): Fresh {
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
  };
}

export const newRunId = (unit: WorkUnit): string => uuidv7(unit.nowMs);
