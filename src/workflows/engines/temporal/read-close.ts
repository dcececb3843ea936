import { tsToMs } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import type { Failure, Json } from '../../../../packages/workflows/src/protocol.ts';
import { firstOf, toFailure } from './convert.ts';

type Event = temporal.api.history.v1.IHistoryEvent;

/** How a run ended, from Temporal's last event. */
export type RunClose = { timeMs: number } & (
  | { status: 'COMPLETED'; result: Json }
  | { status: 'FAILED'; failure: Failure }
  | { status: 'TIMED_OUT' }
  | { status: 'CANCELED' | 'TERMINATED'; reason?: string }
  | { status: 'CONTINUED_AS_NEW'; newRunId: string; input: Json; workflowName: string }
);

const Type = proto.temporal.api.enums.v1.EventType;

/** Temporal's default reason. */
const NO_REASON = 'terminated by user via frontend';

/** Undefined for an event that does not end a run. */
export function readClose(event: Event): RunClose | undefined {
  const timeMs = tsToMs(event.eventTime);
  switch (event.eventType) {
    case Type.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
      return { timeMs, status: 'COMPLETED', result: firstOf(event.workflowExecutionCompletedEventAttributes?.result) };
    case Type.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:
      return { timeMs, status: 'FAILED', failure: toFailure(event.workflowExecutionFailedEventAttributes?.failure) };
    case Type.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT:
      return { timeMs, status: 'TIMED_OUT' };
    case Type.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
      return { timeMs, status: 'CANCELED', reason: 'The execution was cancelled.' };
    case Type.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED: {
      const reason = event.workflowExecutionTerminatedEventAttributes?.reason;
      return { timeMs, status: 'TERMINATED', ...(reason && reason !== NO_REASON ? { reason } : {}) };
    }
    case Type.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW: {
      const said = event.workflowExecutionContinuedAsNewEventAttributes;
      return {
        timeMs,
        status: 'CONTINUED_AS_NEW',
        newRunId: said?.newExecutionRunId ?? '',
        input: firstOf(said?.input),
        workflowName: said?.workflowType?.name ?? '',
      };
    }
    default:
      return undefined;
  }
}
