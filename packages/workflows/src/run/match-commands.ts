import { NotDeterministic } from '../errors.ts';
import type { Command, HistoryEvent, HistoryEventType } from '../protocol.ts';

/** The event of each command type; `emit` has none. */
const EVENT_OF = {
  schedule_step: 'ACTIVITY_TASK_SCHEDULED',
  cancel_step: 'ACTIVITY_TASK_CANCEL_REQUESTED',
  start_timer: 'TIMER_STARTED',
  cancel_timer: 'TIMER_CANCELED',
  start_child: 'START_CHILD_WORKFLOW_EXECUTION_INITIATED',
  cancel_child: 'REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED',
  signal_execution: 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED',
  record_marker: 'MARKER_RECORDED',
  complete_update: 'WORKFLOW_EXECUTION_UPDATE_COMPLETED',
  upsert_search_keys: 'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES',
  complete: 'WORKFLOW_EXECUTION_COMPLETED',
  fail: 'WORKFLOW_EXECUTION_FAILED',
  cancelled: 'WORKFLOW_EXECUTION_CANCELED',
  continue_as_new: 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
} as const satisfies Record<Exclude<Command['type'], 'emit'>, HistoryEventType>;

export type RecordedCommand = Exclude<Command, { type: 'emit' }>;

const COMMAND_EVENTS: ReadonlySet<HistoryEventType> = new Set(Object.values(EVENT_OF));

/** Whether a command created the event: only those belong to the turn after WORKFLOW_TASK_COMPLETED. */
export function isCommandEvent(event: HistoryEvent): boolean {
  return COMMAND_EVENTS.has(event.type);
}

export function isRecorded(command: Command): command is RecordedCommand {
  return command.type !== 'emit';
}

/**
 * Compares the commands of a replayed turn with its events. Calls `onMatch` with the event of each command; throws at
 * the first difference. Missing patch markers are ignored, so that `patched()` can be removed once no run needs it.
 */
export function matchCommands(
  commands: readonly Command[],
  events: readonly HistoryEvent[],
  onMatch: (command: RecordedCommand, eventId: number) => void,
): void {
  let at = 0;
  for (const command of commands) {
    if (!isRecorded(command)) continue;
    while (at < events.length && isPatch(events[at]) && !isPatchCommand(command)) at++;
    const event = events[at++];
    if (!event)
      throw new NotDeterministic(
        `${BROKEN} the code asked for ${nameOf(command)}, the history has nothing more there.`,
      );
    if (!fits(command, event))
      throw new NotDeterministic(
        `${BROKEN} at event ${event.id} the history has ${nameOfEvent(event)}, but the code asked for ${nameOf(command)}.`,
      );
    onMatch(command, event.id);
  }
  while (isPatch(events[at])) at++;
  const left = events[at];
  if (left)
    throw new NotDeterministic(
      `${BROKEN} at event ${left.id} the history has ${nameOfEvent(left)}, which the code did not ask for.`,
    );
}

const BROKEN = 'The workflow code does not do what it did before:';

function isPatch(event: HistoryEvent | undefined): boolean {
  return event?.type === 'MARKER_RECORDED' && event.attributes.marker_name === 'patch';
}

function isPatchCommand(command: Command): boolean {
  return command.type === 'record_marker' && command.name === 'patch';
}

function fits(command: RecordedCommand, { type, attributes }: HistoryEvent): boolean {
  if (EVENT_OF[command.type] !== type) return false;
  switch (command.type) {
    case 'schedule_step':
      return attributes.activity_id === String(command.seq) && attributes.activity_name === command.name;
    case 'start_timer':
    case 'cancel_timer':
      return attributes.timer_id === String(command.seq);
    case 'start_child':
      return attributes.seq === command.seq && attributes.workflow_name === command.workflow_name;
    case 'signal_execution':
      return attributes.seq === command.seq && attributes.signal_name === command.name;
    case 'record_marker':
      return attributes.marker_name === command.name && (attributes.seq ?? undefined) === command.seq;
    case 'complete_update':
      return attributes.update_id === command.update_id;
    default:
      return true;
  }
}

function nameOf(command: RecordedCommand): string {
  switch (command.type) {
    case 'schedule_step':
      return `step "${command.name}" (command ${command.seq})`;
    case 'start_child':
      return `child workflow "${command.workflow_name}" (command ${command.seq})`;
    case 'signal_execution':
      return `signal "${command.name}" to ${command.execution_id} (command ${command.seq})`;
    case 'record_marker':
      return nameOfMarker(command.name, command.details, command.seq);
    case 'start_timer':
      return `a timer (command ${command.seq})`;
    case 'cancel_step':
    case 'cancel_timer':
    case 'cancel_child':
      return `the cancellation of ${command.type.slice('cancel_'.length)} ${command.seq}`;
    default:
      return WORDS[command.type];
  }
}

const WORDS = {
  complete_update: 'the end of an update',
  upsert_search_keys: 'a change of search keys',
  complete: 'the end of the workflow',
  fail: 'the failure of the workflow',
  cancelled: 'the end of the cancelled workflow',
  continue_as_new: 'a new run',
};

function nameOfEvent({ type, attributes }: HistoryEvent): string {
  switch (type) {
    case 'ACTIVITY_TASK_SCHEDULED':
      return `step "${attributes.activity_name}" (command ${attributes.activity_id})`;
    case 'START_CHILD_WORKFLOW_EXECUTION_INITIATED':
      return `child workflow "${attributes.workflow_name}" (command ${attributes.seq})`;
    case 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED':
      return `signal "${attributes.signal_name}" (command ${attributes.seq})`;
    case 'MARKER_RECORDED':
      return nameOfMarker(String(attributes.marker_name), attributes.details, attributes.seq);
    case 'TIMER_STARTED':
      return `a timer (command ${attributes.timer_id})`;
    case 'TIMER_CANCELED':
      return `the cancellation of timer ${attributes.timer_id}`;
    default:
      return type;
  }
}

function nameOfMarker(name: string, details: unknown, seq: unknown): string {
  const detail = (details ?? {}) as { name?: unknown; id?: unknown };
  return name === 'local_step' ? `local step "${detail.name}" (command ${seq})` : `patch "${detail.id}"`;
}
