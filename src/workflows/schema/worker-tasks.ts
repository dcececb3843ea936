import { z } from 'zod';
import type {
  AdvanceResponse as Advanced,
  HistoryEvent,
  Json,
  PollResponse as Polled,
} from '../../../packages/workflows/src/protocol.ts';
import { queryInt } from '../../kit/http/index.ts';
import { DeploymentName } from './definitions.ts';

/** Any JSON value, but required. */
export const JsonValue = z.nonoptional(z.unknown()) as unknown as z.ZodType<Json>;
const Token = z.string().max(100);
const Name = z.string().min(1).max(256);
const Seq = z.int().min(1);
const Milliseconds = z.int().min(0);
const COMMANDS_MAX = 10_000;

const worker = { deployment_name: DeploymentName, worker_name: z.string().min(1).max(256) };

export const Failure = z.strictObject({
  message: z.string().max(100_000),
  type: z.string().max(256).optional(),
  non_retryable: z.boolean().optional(),
  stack: z.string().max(100_000).optional(),
  get cause() {
    return Failure.optional();
  },
});

const RateLimit = z.strictObject({
  key: z.string().min(1).max(256),
  max: z.int().min(1).max(100_000),
  window_ms: z.int().min(1).max(3_600_000),
});

const StepOptions = z.strictObject({
  retry: z.strictObject({
    max_attempts: z.int().min(0),
    initial_interval_ms: Milliseconds,
    backoff: z.number().min(1).max(100),
    max_interval_ms: Milliseconds,
    non_retryable_types: z.array(z.string().max(256)).max(100),
  }),
  timeout_ms: z.int().min(1),
  total_timeout_ms: z.int().min(1).optional(),
  heartbeat_ms: z.int().min(1).optional(),
  rate_limit: RateLimit.optional(),
});

const JsonPatchOp = z.discriminatedUnion('op', [
  z.strictObject({ op: z.enum(['add', 'replace', 'append']), path: z.string(), value: JsonValue }),
  z.strictObject({ op: z.literal('remove'), path: z.string() }),
]);

export const CustomTaskEvent = z.strictObject({
  event_type: z.enum([
    'CUSTOM_TASK_STARTED',
    'CUSTOM_TASK_IN_PROGRESS',
    'CUSTOM_TASK_COMPLETED',
    'CUSTOM_TASK_FAILED',
    'CUSTOM_TASK_TIMED_OUT',
    'CUSTOM_TASK_CANCELED',
  ]),
  custom_task_id: z.string().min(1).max(256),
  custom_task_type: z.string().min(1).max(256),
  payload: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('json'), value: JsonValue }),
      z.strictObject({ type: z.literal('json_patch'), value: z.array(JsonPatchOp) }),
    ])
    .optional(),
  failure: Failure.optional(),
  reason: z.string().max(10_000).optional(),
  timeout_type: z.string().max(256).optional(),
});

const Command = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('schedule_step'),
    seq: Seq,
    name: Name,
    input: z.array(JsonValue),
    options: StepOptions,
  }),
  z.strictObject({ type: z.literal('cancel_step'), seq: Seq }),
  z.strictObject({ type: z.literal('start_timer'), seq: Seq, fire_in_ms: Milliseconds }),
  z.strictObject({ type: z.literal('cancel_timer'), seq: Seq }),
  z.strictObject({
    type: z.literal('start_child'),
    seq: Seq,
    workflow_name: Name,
    execution_id: z.string().min(1).max(256).optional(),
    input: JsonValue,
    deployment_name: DeploymentName.optional(),
    wait: z.boolean(),
    parent_close_policy: z.enum(['terminate', 'abandon', 'request_cancel']),
  }),
  z.strictObject({ type: z.literal('cancel_child'), seq: Seq }),
  z.strictObject({
    type: z.literal('signal_execution'),
    seq: Seq,
    execution_id: z.string().min(1).max(256),
    name: Name,
    input: JsonValue,
  }),
  z.strictObject({ type: z.literal('record_marker'), seq: Seq.optional(), name: Name, details: JsonValue }),
  z.strictObject({
    type: z.literal('complete_update'),
    update_id: z.string().max(100),
    result: JsonValue.optional(),
    failure: Failure.optional(),
  }),
  z.strictObject({
    type: z.literal('upsert_search_keys'),
    keys: z.record(z.string().min(1).max(256), z.string().max(8192).nullable()),
  }),
  z.strictObject({ type: z.literal('emit'), key: z.string().min(1).max(256), event: CustomTaskEvent }),
  z.strictObject({ type: z.literal('complete'), result: JsonValue }),
  z.strictObject({ type: z.literal('fail'), failure: Failure }),
  z.strictObject({ type: z.literal('cancelled'), reason: z.string().max(10_000).optional() }),
  z.strictObject({ type: z.literal('continue_as_new'), input: JsonValue, workflow_name: Name.optional() }),
]);

const StepResult = z.union([
  z.strictObject({ token: Token, result: JsonValue }),
  z.strictObject({ token: Token, failure: Failure }),
  z.strictObject({ token: Token, cancelled: z.literal(true) }),
]);

const Advance = z.strictObject({
  token: Token,
  run_id: z.guid(),
  base: Milliseconds,
  time_ms: Milliseconds,
  step_results: z.array(StepResult).max(COMMANDS_MAX),
  commands: z.array(Command).max(COMMANDS_MAX),
  task_failure: Failure.safeExtend({ nondeterministic: z.boolean().optional() }).optional(),
  want_steps: z.int().min(0).max(10_000),
  release: z.boolean(),
});

export const PollRequest = z.strictObject({
  ...worker,
  max_workflow_tasks: z.int().min(0).max(1000),
  max_step_tasks: z.int().min(0).max(1000),
  workflows: z.array(Name).max(1000),
  steps: z.array(Name).max(1000),
  wait_ms: z.int().min(0).max(60_000),
});

/** Responses are read by our own workers only, so their types are not validated again. */
export const PollResponse = z.unknown() as z.ZodType<Polled>;

export const AdvanceRequest = z.strictObject({
  ...worker,
  advances: z.array(Advance).max(1000),
  steps: z.array(StepResult).max(1000),
});

export const AdvanceResponse = z.unknown() as z.ZodType<Advanced>;

export const StepHeartbeatRequest = z.strictObject({
  steps: z
    .array(
      z.strictObject({
        token: Token,
        details: JsonValue.optional(),
        events: z
          .array(z.strictObject({ key: z.string().min(1).max(200), event: CustomTaskEvent }))
          .max(1000)
          .optional(),
      }),
    )
    .max(1000),
});

export const StepHeartbeatResponse = z.strictObject({
  steps: z.array(z.strictObject({ status: z.enum(['ok', 'cancel_requested', 'stale']) })),
});

export const QueryAnswerRequest = z.strictObject({
  answers: z
    .array(
      z.union([
        z.strictObject({ query_id: z.string().max(100), result: JsonValue }),
        z.strictObject({ query_id: z.string().max(100), failure: Failure }),
      ]),
    )
    .max(1000),
});

export const HistoryPageQuery = z.strictObject({ run_id: z.guid(), after: queryInt().min(0).default(0) });
export const HistoryPage = z.strictObject({ events: z.array(z.unknown() as z.ZodType<HistoryEvent>) });
