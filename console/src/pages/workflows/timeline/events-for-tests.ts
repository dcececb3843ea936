import type { WorkflowEvent } from '../../../../../src/workflows/schema/events.ts';

type Run = { execution: string; run: string; parent?: string; workflow?: string };

/** Events of a run, one second apart by default. */
export function eventsOf({ execution, run, parent, workflow = 'order' }: Run) {
  let count = 0;
  return (event_type: WorkflowEvent['event_type'], attributes: object, atMs?: number): WorkflowEvent =>
    ({
      event_id: `${run}-${++count}`,
      event_timestamp: (atMs ?? count * 1000) * 1000,
      root_workflow_exec_id: 'root',
      parent_workflow_exec_id: parent ?? null,
      continued_run_id: null,
      first_execution_run_id: run,
      schedule_id: null,
      workflow_exec_id: execution,
      workflow_run_id: run,
      workflow_name: workflow,
      event_type,
      attributes,
    }) as unknown as WorkflowEvent;
}

const json = (value: unknown) => ({ type: 'json', value });

export const attributes = {
  started: (input: unknown = {}) => ({ task_id: 'r', workflow_name: 'order', display_name: null, input: json(input) }),
  completed: (result: unknown = null) => ({ task_id: 'r', result: json(result), attempt: 1 }),
  step: (id: string, name = 'charge') => ({ task_id: id, activity_name: name, input: json([]) }),
  stepDone: (id: string, name = 'charge') => ({ task_id: id, activity_name: name, result: json(1) }),
  stepFailed: (id: string, attempt: number, message: string, name = 'charge') => ({
    task_id: id,
    activity_name: name,
    attempt,
    failure: { message },
  }),
  task: (id: string, type: string, value: unknown = null) => ({
    custom_task_id: id,
    custom_task_type: type,
    payload: json(value),
  }),
  patch: (id: string, type: string, value: unknown) => ({
    custom_task_id: id,
    custom_task_type: type,
    payload: { type: 'json_patch', value },
  }),
};
