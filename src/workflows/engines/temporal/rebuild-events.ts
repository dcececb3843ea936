import { tsToMs } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import type { Json } from '../../../../packages/workflows/src/protocol.ts';
import { isInternalActivity } from '../../events/parse-worker-event.ts';
import { fromPayloads, toFailure } from './convert.ts';

type Event = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads | null | undefined;
type Failure = temporal.api.failure.v1.IFailure | null | undefined;
type Timestamp = temporal.api.history.v1.IHistoryEvent['eventTime'];

/** A step that has begun and not ended, from Temporal's description of the run. */
export type PendingStep = { activityId: string; attempt: number; isStarted: boolean; lastFailure: Failure };

/** An event that the worker should have sent, under the key by which it is known once it has arrived. */
export type RebuiltEvent = {
  key: string;
  micros: number;
  event_type: string;
  /** Read only if the event is missing; arguments are a list. */
  attributes: () => Record<string, Json>;
  /** With one of these keys the worker has said it in other words. */
  unless: string[];
};

type Step = { taskId: string; name: string; input: Payloads; atMicros: number };
type Attempt = { attempt: number; lastFailure: Failure; atMicros: number };

const Type = proto.temporal.api.enums.v1.EventType;
const LOCAL_ACTIVITY = 'core_local_activity';

/** Reads a history in order, a page at a time. Of each step nothing is kept once it has ended. */
export function createRebuild() {
  const steps = new Map<number, Step>();
  const attempts = new Map<number, Attempt>();

  function endOf(scheduledId: number, said: (step: Step, tried: Attempt) => RebuiltEvent): RebuiltEvent[] {
    const step = steps.get(scheduledId);
    const tried = attempts.get(scheduledId);
    steps.delete(scheduledId);
    attempts.delete(scheduledId);
    if (!step) return [];
    // A step that never began (it waited too long for a worker) has no attempt.
    const last = tried ?? { attempt: 1, lastFailure: undefined, atMicros: step.atMicros };
    const end = said(step, last);
    return [...beginning(step, last, [end.key]), end];
  }

  return {
    read(event: Event): RebuiltEvent[] {
      const micros = toMicros(event.eventTime);
      switch (event.eventType) {
        case Type.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED: {
          const { activityId, activityType, input } = event.activityTaskScheduledEventAttributes ?? {};
          const name = activityType?.name ?? '';
          if (!isInternalActivity(name))
            steps.set(Number(event.eventId), { taskId: activityId ?? '', name, input, atMicros: micros });
          return [];
        }
        case Type.EVENT_TYPE_ACTIVITY_TASK_STARTED: {
          const { scheduledEventId, attempt, lastFailure } = event.activityTaskStartedEventAttributes ?? {};
          attempts.set(Number(scheduledEventId), { attempt: attempt ?? 1, lastFailure, atMicros: micros });
          return [];
        }
        case Type.EVENT_TYPE_ACTIVITY_TASK_COMPLETED: {
          const { scheduledEventId, result } = event.activityTaskCompletedEventAttributes ?? {};
          return endOf(Number(scheduledEventId), (step) => completed(step, micros, result));
        }
        case Type.EVENT_TYPE_ACTIVITY_TASK_FAILED: {
          const { scheduledEventId, failure } = event.activityTaskFailedEventAttributes ?? {};
          return endOf(Number(scheduledEventId), (step, { attempt }) => failed(step, micros, attempt, failure));
        }
        case Type.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT: {
          const { scheduledEventId, failure } = event.activityTaskTimedOutEventAttributes ?? {};
          return endOf(Number(scheduledEventId), (step, { attempt }) => failed(step, micros, attempt, failure));
        }
        case Type.EVENT_TYPE_MARKER_RECORDED:
          return ofLocalActivity(event, micros);
        default:
          return [];
      }
    },

    /** The steps that have not ended, which a history alone does not show as begun. */
    readPending(pending: readonly PendingStep[]): RebuiltEvent[] {
      const known = new Map(pending.map((found) => [found.activityId, found]));
      return [...steps.values()].flatMap((step) => {
        const found = known.get(step.taskId);
        if (!found || (!found.isStarted && found.attempt === 1)) return [];
        return beginning(step, { ...found, atMicros: step.atMicros }, []);
      });
    },
  };
}

/** The start of a step and its failed attempts. Of these Temporal keeps the message of the last only. */
function beginning(step: Step, { attempt, lastFailure, atMicros }: Attempt, unless: string[]): RebuiltEvent[] {
  const { taskId: task_id, name: activity_name, input } = step;
  const started: RebuiltEvent = {
    key: `ACTIVITY_TASK_STARTED ${task_id}`,
    micros: attempt === 1 ? atMicros : step.atMicros,
    event_type: 'ACTIVITY_TASK_STARTED',
    attributes: () => ({ task_id, activity_name, input: { type: 'json', value: input ? fromPayloads(input) : null } }),
    unless: [],
  };
  const retried = Array.from({ length: attempt - 1 }, (_, index): RebuiltEvent => {
    const tried = index + 1;
    const message = tried === attempt - 1 ? toFailure(lastFailure).message : 'What it failed with was not delivered.';
    return {
      key: `ACTIVITY_TASK_RETRYING ${task_id} ${tried}`,
      micros: atMicros,
      event_type: 'ACTIVITY_TASK_RETRYING',
      attributes: () => ({ task_id, activity_name, attempt: tried, failure: { message } }),
      unless,
    };
  });
  return [started, ...retried];
}

function completed({ taskId: task_id, name: activity_name }: Step, micros: number, result: Payloads): RebuiltEvent {
  return {
    key: `ACTIVITY_TASK_COMPLETED ${task_id}`,
    micros,
    event_type: 'ACTIVITY_TASK_COMPLETED',
    attributes: () => ({
      task_id,
      activity_name,
      result: { type: 'json', value: fromPayloads(result)[0] ?? null },
    }),
    unless: [],
  };
}

/** The worker itself does not know that an attempt is the last when its failure is not to be retried. */
function failed(step: Step, micros: number, attempt: number, failure: Failure): RebuiltEvent {
  const { taskId: task_id, name: activity_name } = step;
  return {
    key: `ACTIVITY_TASK_FAILED ${task_id}`,
    micros,
    event_type: 'ACTIVITY_TASK_FAILED',
    attributes: () => ({ task_id, activity_name, attempt, failure: { message: toFailure(failure).message } }),
    unless: [`ACTIVITY_TASK_RETRYING ${task_id} ${attempt}`],
  };
}

/** A local activity leaves one marker, without its arguments. */
function ofLocalActivity(event: Event, micros: number): RebuiltEvent[] {
  const { markerName, details, failure } = event.markerRecordedEventAttributes ?? {};
  const [data] = fromPayloads(details?.data);
  if (markerName !== LOCAL_ACTIVITY || typeof data !== 'object' || data === null || Array.isArray(data)) return [];
  const { activity_id, activity_type, attempt, original_schedule_time: from } = data;
  const name = String(activity_type ?? '');
  if (name === '' || isInternalActivity(name)) return [];
  const began = from as { seconds?: number; nanos?: number } | null | undefined;
  const atMicros = began ? (began.seconds ?? 0) * 1e6 + Math.floor((began.nanos ?? 0) / 1000) : micros;
  const step = { taskId: String(activity_id), name, input: undefined, atMicros };
  const end = failure ? failed(step, micros, Number(attempt ?? 1), failure) : completed(step, micros, details?.result);
  return [...beginning(step, { attempt: 1, lastFailure: undefined, atMicros }, []), end];
}

function toMicros(time: Timestamp): number {
  return time ? tsToMs(time) * 1000 + Math.floor(((time.nanos ?? 0) % 1e6) / 1000) : 0;
}
