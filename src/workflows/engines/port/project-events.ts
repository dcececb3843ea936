import type { CustomTaskEvent, Failure, Json } from '../../../../packages/workflows/src/protocol.ts';
import { makeForm } from '../../../kit/events/index.ts';
import type { RunRow } from '../../store/run-tables.ts';

/** An event as clients see it. There are seventeen types. */
export type PublicEvent = {
  event_id: string;
  /** Microseconds since the epoch. */
  event_timestamp: number;
  root_workflow_exec_id: string;
  parent_workflow_exec_id: string | null;
  workflow_exec_id: string;
  workflow_run_id: string;
  workflow_name: string;
  continued_run_id: string | null;
  first_execution_run_id: string | null;
  chain_run_id: string | null;
  schedule_id: string | null;
  event_type: string;
  attributes: Record<string, Json>;
};

/** The public fields of a step. */
type Step = { seq: number; name: string; input: Json[]; attempt: number };

export type Projected = Pick<PublicEvent, 'event_type' | 'attributes'>;

/** One stream for an execution and its descendants; its sequence numbers are `broker_sequence`. */
export function streamOf({
  workspace_id,
  root_execution_id,
}: Pick<RunRow, 'workspace_id' | 'root_execution_id'>): string {
  return `workflow:${workspace_id}:${root_execution_id}`;
}

/** A root has none in its row: it is its first run. */
export function chainOf(run: RunRow): string | null {
  return run.chain_run_id ?? (run.execution_id === run.root_execution_id ? run.first_run_id : null);
}

/** What an event has for itself. */
export type OwnEvent = Pick<PublicEvent, 'event_id' | 'event_timestamp' | 'event_type' | 'attributes'>;

/** In the order of its form. */
export function valuesOf({ event_id, event_timestamp, attributes }: OwnEvent): unknown[] {
  return [event_id, event_timestamp, attributes];
}

const DIFFERING = { type: 'event_type', values: ['event_id', 'event_timestamp', 'attributes'] } as const;
const constants = new WeakMap<RunRow, { stream: string; form: string }>();

/** The stream and the form of all events of a run. They never change, and the row of a leased run is kept from turn to turn. */
export function constantsOf(run: RunRow): { stream: string; form: string } {
  const known = constants.get(run);
  if (known !== undefined) return known;
  const common: Omit<PublicEvent, keyof OwnEvent | 'chain_run_id'> & { chain_run_id?: string } = {
    root_workflow_exec_id: run.root_execution_id,
    parent_workflow_exec_id: run.parent_execution_id,
    workflow_exec_id: run.execution_id,
    workflow_run_id: run.run_id,
    workflow_name: run.workflow_name,
    continued_run_id: run.continued_run_id,
    first_execution_run_id: run.first_run_id,
    schedule_id: run.schedule_id,
    // Readers know that of a root.
    ...(run.chain_run_id === null ? {} : { chain_run_id: run.chain_run_id }),
  };
  const made = { stream: streamOf(run), form: makeForm(common, DIFFERING) };
  constants.set(run, made);
  return made;
}

export function executionStarted(run: RunRow, input: Json, attempt: number): Projected {
  return {
    event_type: 'WORKFLOW_EXECUTION_STARTED',
    attributes: {
      task_id: run.run_id,
      workflow_name: run.workflow_name,
      display_name: run.display_name,
      input: payload(input),
      attempt,
    },
  };
}

/** The API has no events for termination and timeout: they are shown as cancelled and failed. */
export function executionEnded(run: RunRow, reason: string | undefined): Projected {
  const task_id = run.run_id;
  switch (run.status) {
    case 'COMPLETED':
      return {
        event_type: 'WORKFLOW_EXECUTION_COMPLETED',
        attributes: { task_id, result: payload(run.result), attempt: 1 },
      };
    case 'CANCELED':
      return cancelled(task_id, reason ?? null);
    case 'TERMINATED':
      return cancelled(task_id, reason ? `Terminated: ${reason}` : 'Terminated');
    default:
      return {
        event_type: 'WORKFLOW_EXECUTION_FAILED',
        attributes: { task_id, failure: shownFailure(run.failure), attempt: 1 },
      };
  }
}

function cancelled(task_id: string, reason: string | null): Projected {
  return { event_type: 'WORKFLOW_EXECUTION_CANCELED', attributes: { task_id, reason, attempt: 1 } };
}

export function continuedAsNew(run: RunRow, newRunId: string, workflowName: string, input: Json): Projected {
  return {
    event_type: 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
    attributes: {
      task_id: run.run_id,
      new_execution_run_id: newRunId,
      workflow_name: workflowName,
      input: payload(input),
    },
  };
}

export function turnFailed(run: RunRow, failure: Failure): Projected {
  return { event_type: 'WORKFLOW_TASK_FAILED', attributes: { task_id: run.run_id, failure: shownFailure(failure) } };
}

export function turnTimedOut(run: RunRow, timeoutType: string): Projected {
  return { event_type: 'WORKFLOW_TASK_TIMED_OUT', attributes: { task_id: run.run_id, timeout_type: timeoutType } };
}

export function stepStarted({ seq, name, input }: Pick<Step, 'seq' | 'name' | 'input'>): Projected {
  return {
    event_type: 'ACTIVITY_TASK_STARTED',
    attributes: { task_id: String(seq), activity_name: name, input: payload(input) },
  };
}

export function stepCompleted({ seq, name }: Pick<Step, 'seq' | 'name'>, result: Json): Projected {
  return {
    event_type: 'ACTIVITY_TASK_COMPLETED',
    attributes: { task_id: String(seq), activity_name: name, result: payload(result) },
  };
}

export function stepFailed(
  step: Pick<Step, 'seq' | 'name' | 'attempt'>,
  failure: Failure,
  isRetried: boolean,
): Projected {
  return {
    event_type: isRetried ? 'ACTIVITY_TASK_RETRYING' : 'ACTIVITY_TASK_FAILED',
    attributes: {
      task_id: String(step.seq),
      activity_name: step.name,
      attempt: step.attempt,
      failure: shownFailure(failure),
    },
  };
}

export function customTask(event: CustomTaskEvent): Projected {
  const { event_type, custom_task_id, custom_task_type } = event;
  const base = { custom_task_id, custom_task_type };
  switch (event_type) {
    case 'CUSTOM_TASK_FAILED':
      return { event_type, attributes: { ...base, failure: shownFailure(event.failure ?? null) } };
    case 'CUSTOM_TASK_TIMED_OUT':
      return { event_type, attributes: { ...base, timeout_type: event.timeout_type ?? null } };
    case 'CUSTOM_TASK_CANCELED':
      return { event_type, attributes: { ...base, reason: event.reason ?? null } };
    default:
      return { event_type, attributes: { ...base, payload: (event.payload ?? payload(null)) as Json } };
  }
}

function payload(value: Json): Json {
  return { type: 'json', value };
}

function shownFailure(failure: Failure | null): Json {
  return { message: failure?.message ?? 'It failed without a message.' };
}
