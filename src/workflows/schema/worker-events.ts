import { z } from 'zod';
import { EncodedPayloadOptions } from './control.ts';
import { Failure } from './worker-tasks.ts';

const Id = z.string().min(1).max(256);
const Name = z.string().min(1).max(256);
const text = z.string().max(10_000).nullable().optional();
const attempt = z.int().min(1).optional();
const encoding_options = z.array(EncodedPayloadOptions).max(10).nullable().optional();

/** `encoding_options` lists encodings of the worker, which only holders of its keys can decode. */
const JsonPayload = z.strictObject({ type: z.literal('json').default('json'), value: z.unknown(), encoding_options });
const JsonPatchOp = z.strictObject({
  op: z.enum(['add', 'replace', 'append', 'remove']),
  path: z.string(),
  value: z.unknown(),
});
const JsonPatchPayload = z.strictObject({
  type: z.literal('json_patch'),
  value: z.union([z.array(JsonPatchOp), z.string()]),
  encoding_options,
});
const AnyPayload = z.discriminatedUnion('type', [JsonPayload.extend({ type: z.literal('json') }), JsonPatchPayload]);

const activity = { task_id: Id, activity_name: Name };
const tried = { ...activity, attempt: z.int().min(1), failure: Failure };
const custom = { custom_task_id: Id, custom_task_type: Name };

/** The attributes of each event type. */
const ATTRIBUTES = {
  WORKFLOW_EXECUTION_STARTED: { task_id: Id, workflow_name: Name, display_name: text, input: JsonPayload, attempt },
  WORKFLOW_EXECUTION_COMPLETED: { task_id: Id, result: JsonPayload, attempt },
  WORKFLOW_EXECUTION_FAILED: { task_id: Id, failure: Failure, attempt },
  WORKFLOW_EXECUTION_CANCELED: { task_id: Id, reason: text, attempt },
  WORKFLOW_EXECUTION_CONTINUED_AS_NEW: {
    task_id: Id,
    new_execution_run_id: Id,
    workflow_name: Name,
    input: JsonPayload,
  },
  WORKFLOW_TASK_TIMED_OUT: { task_id: Id, timeout_type: text },
  WORKFLOW_TASK_FAILED: { task_id: Id, failure: Failure },
  CUSTOM_TASK_STARTED: { ...custom, payload: JsonPayload.optional() },
  CUSTOM_TASK_IN_PROGRESS: { ...custom, payload: AnyPayload },
  CUSTOM_TASK_COMPLETED: { ...custom, payload: JsonPayload },
  CUSTOM_TASK_FAILED: { ...custom, failure: Failure },
  CUSTOM_TASK_TIMED_OUT: { ...custom, timeout_type: text },
  CUSTOM_TASK_CANCELED: { ...custom, reason: text },
  ACTIVITY_TASK_STARTED: { ...activity, input: JsonPayload },
  ACTIVITY_TASK_COMPLETED: { ...activity, result: JsonPayload },
  ACTIVITY_TASK_RETRYING: tried,
  ACTIVITY_TASK_FAILED: tried,
} as const satisfies Record<string, z.ZodRawShape>;

type EventType = keyof typeof ATTRIBUTES;

function eventOf<T extends EventType>(event_type: T) {
  const shape: (typeof ATTRIBUTES)[T] = ATTRIBUTES[event_type];
  return z.strictObject({
    event_id: z.string().min(1).max(100),
    /** Nanoseconds from official workers, microseconds from others. */
    event_timestamp: z.number().min(0),
    root_workflow_exec_id: Id,
    parent_workflow_exec_id: Id.nullable().optional(),
    continued_run_id: text,
    first_execution_run_id: text,
    chain_run_id: text,
    schedule_id: text,
    workflow_exec_id: Id,
    workflow_run_id: z.guid(),
    workflow_name: Name,
    event_type: z.literal(event_type),
    attributes: z.strictObject(shape),
  });
}

/** An event that a worker sends outside of a turn. */
export const WorkerEvent = z.discriminatedUnion('event_type', [
  eventOf('WORKFLOW_EXECUTION_STARTED'),
  eventOf('WORKFLOW_EXECUTION_COMPLETED'),
  eventOf('WORKFLOW_EXECUTION_FAILED'),
  eventOf('WORKFLOW_EXECUTION_CANCELED'),
  eventOf('WORKFLOW_EXECUTION_CONTINUED_AS_NEW'),
  eventOf('WORKFLOW_TASK_TIMED_OUT'),
  eventOf('WORKFLOW_TASK_FAILED'),
  eventOf('CUSTOM_TASK_STARTED'),
  eventOf('CUSTOM_TASK_IN_PROGRESS'),
  eventOf('CUSTOM_TASK_COMPLETED'),
  eventOf('CUSTOM_TASK_FAILED'),
  eventOf('CUSTOM_TASK_TIMED_OUT'),
  eventOf('CUSTOM_TASK_CANCELED'),
  eventOf('ACTIVITY_TASK_STARTED'),
  eventOf('ACTIVITY_TASK_COMPLETED'),
  eventOf('ACTIVITY_TASK_RETRYING'),
  eventOf('ACTIVITY_TASK_FAILED'),
]);
export type WorkerEvent = z.output<typeof WorkerEvent>;

export const WorkerEventRequest = z.strictObject({ event: WorkerEvent });
export const WorkerEventResponse = z.strictObject({
  status: z.enum(['success', 'error']),
  message: z.string().nullable().optional(),
});
export const WorkerEventsRequest = z.strictObject({ events: z.array(WorkerEvent).max(1000) });
export const WorkerEventsResponse = z.strictObject({
  ...WorkerEventResponse.shape,
  events_received: z.int(),
});

export const RouteTokenRequest = z.strictObject({
  workflow_exec_id: Id,
  workflow_run_id: z.string().min(1).max(100),
  /** Sent by older workers. */
  execution_token: z.guid().nullable().optional(),
});
export type RouteTokenRequest = z.output<typeof RouteTokenRequest>;
export const RouteTokenResponse = z.strictObject({ route_token: z.string(), expires_in_seconds: z.int() });
