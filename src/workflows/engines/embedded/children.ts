import type { Command, Failure, Json } from '../../../../packages/workflows/src/protocol.ts';
import { ApiError } from '../../../kit/http/index.ts';
import type { ChildRegistration } from '../port/engine.ts';
import { chainOf } from '../port/project-events.ts';
import type { Effect } from './effects.ts';
import { requestCancel } from './end-run.ts';
import { notifyRun } from './notify-run.ts';
import { isSetAside } from './set-aside.ts';
import { newRunId, startRun } from './start-run.ts';
import { findOpenChild } from './store/children.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

type StartChild = Extract<Command, { type: 'start_child' }>;

/** The child is a run of its own, started in the transaction of its parent's turn. */
export function startChild(
  unit: WorkUnit,
  run: RunState,
  command: StartChild,
  registration: ChildRegistration | undefined,
): Effect {
  const { seq, workflow_name, input, parent_close_policy, wait } = command;
  const execution_id = command.execution_id ?? `${run.row.run_id}:${seq}`;
  const initiatedEventId = unit.append(run, 'START_CHILD_WORKFLOW_EXECUTION_INITIATED', {
    seq,
    workflow_name,
    execution_id,
    input,
    parent_close_policy,
    wait,
  });
  return async (isEnding) => {
    // The child would be terminated with its parent, so it is not started.
    if (isEnding && parent_close_policy === 'terminate') return;
    const common = { initiated_event_id: initiatedEventId, seq, execution_id };
    const fail = (message: string) => {
      const failure: Failure = { message, type: 'ChildNotStarted', non_retryable: true };
      const attributes = { ...common, failure: failure as Json };
      if (!isEnding) notifyRun(unit, run, [{ type: 'START_CHILD_WORKFLOW_EXECUTION_FAILED', attributes }]);
    };
    if (!registration) return fail(`No workflow '${workflow_name}' is registered and active.`);
    try {
      const child = await startChildRun(unit, run, command, execution_id, initiatedEventId, registration);
      run.row.has_children = true;
      const attributes = { ...common, run_id: child.row.run_id };
      if (!isEnding) notifyRun(unit, run, [{ type: 'CHILD_WORKFLOW_EXECUTION_STARTED', attributes }]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      fail(error.message);
    }
  };
}

function startChildRun(
  unit: WorkUnit,
  { row }: RunState,
  command: StartChild,
  executionId: string,
  initiatedEventId: number,
  registration: ChildRegistration,
): Promise<RunState> {
  return startRun(unit, {
    ...registration,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    userId: row.user_id,
    executionId,
    runId: newRunId(unit),
    isNamedByCaller: true,
    workflowName: command.workflow_name,
    input: command.input,
    parent: {
      executionId: row.execution_id,
      runId: row.run_id,
      rootExecutionId: row.root_execution_id,
      chainRunId: chainOf(row),
      initiatedEventId,
      seq: command.seq,
      isWaiting: command.wait,
      closePolicy: command.parent_close_policy,
    },
  });
}

export async function cancelChild(unit: WorkUnit, run: RunState, seq: number): Promise<Effect> {
  const found = await findOpenChild(unit.tx, run.row.run_id, seq);
  unit.append(run, 'REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED', {
    seq,
    initiated_event_id: found?.parent_initiated_id ?? null,
  });
  return async (isEnding) => {
    const child = found && (await unit.findRun(run.row.workspace_id, found.run_id));
    // One that is set aside ends at once, of which a parent that ends too gets no event: its close policy decides then.
    if (child && !(isEnding && isSetAside(child)))
      await requestCancel(unit, child, `Its parent ${run.row.execution_id} asked for it.`);
  };
}
