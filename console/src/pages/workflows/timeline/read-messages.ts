import type { WorkflowEvent } from '../../../../../src/workflows/schema/events.ts';
import type { HistoryEvent } from './read-timers.ts';

/** A signal or an update that an execution received. */
export type Message = { id: string; kind: 'signal' | 'update'; name: string; atMs: number; input: unknown };

/** The same in the list of events, whose stream does not contain them. */
export type MessageEvent = Omit<WorkflowEvent, 'event_type' | 'attributes'> & {
  event_type: 'WORKFLOW_EXECUTION_SIGNALED' | 'WORKFLOW_EXECUTION_UPDATED';
  attributes: { message_name: string; input: { type: 'json'; value: unknown } };
};

export type TimelineEvent = WorkflowEvent | MessageEvent;

/** Names of our own begin so: answers to questions have a row already. */
const INTERNAL = '__';

/** Reads signals and updates from the history, because the event stream does not contain them. */
export function readMessages(history: readonly HistoryEvent[]): Message[] {
  return history.flatMap((event): Message[] => {
    const signal = event.workflowExecutionSignaledEventAttributes;
    const update = event.workflowExecutionUpdateAcceptedEventAttributes;
    const name = signal?.signalName ?? update?.acceptedRequest?.input?.name ?? update?.name;
    if (name === undefined || name.startsWith(INTERNAL)) return [];
    return [
      {
        id: event.eventId,
        kind: signal ? 'signal' : 'update',
        name,
        atMs: Date.parse(event.eventTime),
        input: decodeInput(signal ? signal.input : (update?.input ?? update?.acceptedRequest?.input?.args)),
      },
    ];
  });
}

type Payloads = { payloads?: { data?: string }[] };

/** Payloads are JSON in base64, as Temporal writes them, or decoded already. */
function decodeInput(input: unknown): unknown {
  const { payloads } = (input ?? {}) as Payloads;
  if (!Array.isArray(payloads)) return input;
  const values = payloads.map(({ data = '' }): unknown => {
    try {
      return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))));
    } catch {
      return data;
    }
  });
  return values.length === 1 ? values[0] : values;
}
