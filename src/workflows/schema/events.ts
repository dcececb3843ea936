import { z } from 'zod';
import { queryInt, queryJsonObject, queryList } from '../../kit/http/index.ts';
import { JSONPatchPayloadResponse, JSONPayloadResponse } from './payloads.ts';

const Failure = z.object({ message: z.string() }).meta({ id: 'Failure' });
const text = z.string().nullable().optional();
const attempt = z.int().default(1);
const task_id = z.string();
const activity = { task_id, activity_name: z.string() };
const tried = { ...activity, attempt: z.int(), failure: Failure };
const custom = { custom_task_id: z.string(), custom_task_type: z.string() };

const nullable = z.string().nullable();

/** An event type and its attributes. */
function eventOf<T extends string, A extends z.ZodRawShape>(type: T, name: string, shape: A, attributesName: string) {
  return z
    .object({
      event_id: z.string(),
      event_timestamp: z.int(),
      root_workflow_exec_id: z.string(),
      parent_workflow_exec_id: nullable,
      continued_run_id: nullable,
      first_execution_run_id: nullable,
      chain_run_id: nullable,
      schedule_id: nullable,
      workflow_exec_id: z.string(),
      workflow_run_id: z.string(),
      workflow_name: z.string(),
      event_type: z.literal(type).meta({ default: type }),
      attributes: z.object(shape).meta({ id: attributesName }),
    })
    .meta({ id: `${name}Response` });
}

const json = JSONPayloadResponse;

export const WorkflowEvent = z.union([
  eventOf(
    'WORKFLOW_EXECUTION_STARTED',
    'WorkflowExecutionStarted',
    { task_id, workflow_name: z.string(), display_name: text, input: json, attempt },
    'WorkflowExecutionStartedAttributesResponse',
  ),
  eventOf(
    'WORKFLOW_EXECUTION_COMPLETED',
    'WorkflowExecutionCompleted',
    { task_id, result: json, attempt },
    'WorkflowExecutionCompletedAttributesResponse',
  ),
  eventOf(
    'WORKFLOW_EXECUTION_FAILED',
    'WorkflowExecutionFailed',
    { task_id, failure: Failure, attempt },
    'WorkflowExecutionFailedAttributes',
  ),
  eventOf(
    'WORKFLOW_EXECUTION_CANCELED',
    'WorkflowExecutionCanceled',
    { task_id, reason: text, attempt },
    'WorkflowExecutionCanceledAttributes',
  ),
  eventOf(
    'WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
    'WorkflowExecutionContinuedAsNew',
    { task_id, new_execution_run_id: z.string(), workflow_name: z.string(), input: json },
    'WorkflowExecutionContinuedAsNewAttributesResponse',
  ),
  eventOf(
    'WORKFLOW_TASK_TIMED_OUT',
    'WorkflowTaskTimedOut',
    { task_id, timeout_type: text },
    'WorkflowTaskTimedOutAttributes',
  ),
  eventOf('WORKFLOW_TASK_FAILED', 'WorkflowTaskFailed', { task_id, failure: Failure }, 'WorkflowTaskFailedAttributes'),
  eventOf(
    'CUSTOM_TASK_STARTED',
    'CustomTaskStarted',
    { ...custom, payload: json.optional() },
    'CustomTaskStartedAttributesResponse',
  ),
  eventOf(
    'CUSTOM_TASK_IN_PROGRESS',
    'CustomTaskInProgress',
    { ...custom, payload: z.discriminatedUnion('type', [json, JSONPatchPayloadResponse]) },
    'CustomTaskInProgressAttributesResponse',
  ),
  eventOf(
    'CUSTOM_TASK_COMPLETED',
    'CustomTaskCompleted',
    { ...custom, payload: json },
    'CustomTaskCompletedAttributesResponse',
  ),
  eventOf('CUSTOM_TASK_FAILED', 'CustomTaskFailed', { ...custom, failure: Failure }, 'CustomTaskFailedAttributes'),
  eventOf(
    'CUSTOM_TASK_TIMED_OUT',
    'CustomTaskTimedOut',
    { ...custom, timeout_type: text },
    'CustomTaskTimedOutAttributes',
  ),
  eventOf('CUSTOM_TASK_CANCELED', 'CustomTaskCanceled', { ...custom, reason: text }, 'CustomTaskCanceledAttributes'),
  eventOf(
    'ACTIVITY_TASK_STARTED',
    'ActivityTaskStarted',
    { ...activity, input: json },
    'ActivityTaskStartedAttributesResponse',
  ),
  eventOf(
    'ACTIVITY_TASK_COMPLETED',
    'ActivityTaskCompleted',
    { ...activity, result: json },
    'ActivityTaskCompletedAttributesResponse',
  ),
  eventOf('ACTIVITY_TASK_RETRYING', 'ActivityTaskRetrying', tried, 'ActivityTaskRetryingAttributes'),
  eventOf('ACTIVITY_TASK_FAILED', 'ActivityTaskFailed', tried, 'ActivityTaskFailedAttributes'),
]);
export type WorkflowEvent = z.output<typeof WorkflowEvent>;

export const WorkflowEventType = z
  .enum([
    'WORKFLOW_EXECUTION_STARTED',
    'WORKFLOW_EXECUTION_COMPLETED',
    'WORKFLOW_EXECUTION_FAILED',
    'WORKFLOW_EXECUTION_CANCELED',
    'WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
    'WORKFLOW_TASK_TIMED_OUT',
    'WORKFLOW_TASK_FAILED',
    'CUSTOM_TASK_STARTED',
    'CUSTOM_TASK_IN_PROGRESS',
    'CUSTOM_TASK_COMPLETED',
    'CUSTOM_TASK_FAILED',
    'CUSTOM_TASK_TIMED_OUT',
    'CUSTOM_TASK_CANCELED',
    'ACTIVITY_TASK_STARTED',
    'ACTIVITY_TASK_COMPLETED',
    'ACTIVITY_TASK_RETRYING',
    'ACTIVITY_TASK_FAILED',
  ])
  .meta({ id: 'WorkflowEventType' });

const StreamEventWorkflowContext = z
  .object({
    namespace: z.string(),
    workflow_name: z.string(),
    workflow_exec_id: z.string(),
    parent_workflow_exec_id: text,
    root_workflow_exec_id: text,
  })
  .meta({ id: 'StreamEventWorkflowContext' });

export const StreamEventSsePayload = z
  .object({
    stream: z.string(),
    timestamp: z.iso.datetime().optional(),
    data: WorkflowEvent,
    workflow_context: StreamEventWorkflowContext,
    metadata: z.record(z.string(), z.unknown()).optional(),
    broker_sequence: z.int(),
  })
  .meta({ id: 'StreamEventSsePayload' });
export type StreamEventSsePayload = z.output<typeof StreamEventSsePayload>;

const StreamEventSseErrorData = z
  .object({ error: z.string(), reason: z.string() })
  .meta({ id: 'StreamEventSseErrorData' });

export const StreamEventSse = z.object({
  event: z.string().optional(),
  data: z.union([StreamEventSsePayload, StreamEventSseErrorData]).optional(),
  id: z.string().optional(),
  retry: z.int().optional(),
});

export const ListWorkflowEventResponse = z
  .object({ events: z.array(WorkflowEvent), next_cursor: z.string().nullable().optional() })
  .meta({ id: 'ListWorkflowEventResponse' });
export type ListWorkflowEventResponse = z.output<typeof ListWorkflowEventResponse>;

const star = z.string().default('*');

export const EventStreamQuery = z.strictObject({
  scope: z.enum(['activity', 'workflow', '*']).default('*'),
  activity_name: star,
  activity_id: star,
  workflow_name: star,
  workflow_exec_id: star,
  root_workflow_exec_id: star,
  parent_workflow_exec_id: star,
  stream: star,
  start_seq: queryInt().min(0).default(0),
  metadata_filters: queryJsonObject().optional(),
  workflow_event_types: queryList(WorkflowEventType).optional(),
});
export type EventStreamQuery = z.output<typeof EventStreamQuery>;

export const EventListQuery = z.strictObject({
  root_workflow_exec_id: z.string().optional(),
  workflow_exec_id: z.string().optional(),
  workflow_run_id: z.string().optional(),
  limit: queryInt().min(1).max(1000).default(100),
  cursor: z.string().optional(),
});
export type EventListQuery = z.output<typeof EventListQuery>;

export const EventSource = z.enum(['DATABASE', 'LIVE', 'HYBRID']).meta({ id: 'EventSource' });
export const ExecutionStreamQuery = z.strictObject({
  event_source: EventSource.optional(),
  last_event_id: z.string().optional(),
});
export type ExecutionStreamQuery = z.output<typeof ExecutionStreamQuery>;
