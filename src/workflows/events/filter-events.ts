import type { EventStreamQuery, WorkflowEvent } from '../schema/events.ts';

/** The stream of all events except custom tasks, whose stream is their type. */
const LIFECYCLE_STREAM = 'events';

export type EventFilter = (event: WorkflowEvent) => boolean;

export type FilterChoice = Omit<EventStreamQuery, 'start_seq'>;

export function streamNameOf({ attributes }: WorkflowEvent): string {
  return 'custom_task_type' in attributes ? attributes.custom_task_type : LIFECYCLE_STREAM;
}

/** Whether an event passes all filters; `*` matches everything. */
export function filterOf(choice: FilterChoice): EventFilter {
  const filters: EventFilter[] = [];
  const equals = (wanted: string, actual: (event: WorkflowEvent) => string | null | undefined) => {
    if (wanted !== '*') filters.push((event) => actual(event) === wanted);
  };
  equals(choice.workflow_name, (event) => event.workflow_name);
  equals(choice.workflow_exec_id, (event) => event.workflow_exec_id);
  equals(choice.root_workflow_exec_id, (event) => event.root_workflow_exec_id);
  equals(choice.parent_workflow_exec_id, (event) => event.parent_workflow_exec_id);
  equals(choice.stream, streamNameOf);
  equals(choice.activity_name, ({ attributes }) =>
    'activity_name' in attributes ? attributes.activity_name : undefined,
  );
  equals(choice.activity_id, ({ attributes }) => ('activity_name' in attributes ? attributes.task_id : undefined));
  if (choice.scope !== '*') {
    const wantsActivities = choice.scope === 'activity';
    filters.push(({ attributes }) => 'activity_name' in attributes === wantsActivities);
  }
  const types = choice.workflow_event_types && new Set<string>(choice.workflow_event_types);
  if (types) filters.push(({ event_type }) => types.has(event_type));
  // Our events have no metadata, so such a filter matches nothing.
  if (Object.keys(choice.metadata_filters ?? {}).length > 0) filters.push(() => false);
  return (event) => filters.every((passes) => passes(event));
}
