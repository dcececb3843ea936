/**
 * The protocol between workers and the server: JSON over the platform's HTTP API. A worker belongs to one deployment.
 * Times are milliseconds since the epoch.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One row of a run's history. Ids count 1, 2, 3 … within a run; names and attributes follow Temporal's. */
export type HistoryEvent = { id: number; type: HistoryEventType; time_ms: number; attributes: Record<string, Json> };

export type HistoryEventType =
  | 'WORKFLOW_EXECUTION_STARTED' // input, workflow_name, attempt, first_run_id, continued_run_id?, parent?, schedule_id?
  | 'WORKFLOW_TASK_SCHEDULED'
  | 'WORKFLOW_TASK_STARTED' // time_ms of this event is the workflow's `now()` in the turn that follows
  | 'WORKFLOW_TASK_COMPLETED' // scheduled_event_id, started_event_id, worker
  | 'WORKFLOW_TASK_FAILED' // failure
  | 'WORKFLOW_TASK_TIMED_OUT' // timeout_type
  | 'ACTIVITY_TASK_SCHEDULED' // activity_id (command's seq as text), activity_name, input: Json[], options
  | 'ACTIVITY_TASK_STARTED' // scheduled_event_id, attempt, last_failure?
  | 'ACTIVITY_TASK_COMPLETED' // scheduled_event_id, started_event_id, result
  | 'ACTIVITY_TASK_FAILED' // scheduled_event_id, started_event_id, failure, attempt
  | 'ACTIVITY_TASK_TIMED_OUT' // scheduled_event_id, started_event_id, timeout_type, attempt
  | 'ACTIVITY_TASK_CANCEL_REQUESTED' // scheduled_event_id
  | 'ACTIVITY_TASK_CANCELED' // scheduled_event_id
  | 'TIMER_STARTED' // timer_id, fire_at_ms
  | 'TIMER_FIRED' // timer_id, started_event_id
  | 'TIMER_CANCELED' // timer_id, started_event_id
  | 'WORKFLOW_EXECUTION_SIGNALED' // signal_name, input
  | 'WORKFLOW_EXECUTION_UPDATE_ADMITTED' // update_id, update_name, input
  | 'WORKFLOW_EXECUTION_UPDATE_COMPLETED' // update_id, result? or failure?
  | 'START_CHILD_WORKFLOW_EXECUTION_INITIATED' // seq, workflow_name, execution_id, input, parent_close_policy, wait
  | 'START_CHILD_WORKFLOW_EXECUTION_FAILED' // initiated_event_id, failure
  | 'CHILD_WORKFLOW_EXECUTION_STARTED' // initiated_event_id, execution_id, run_id
  | 'CHILD_WORKFLOW_EXECUTION_COMPLETED' // initiated_event_id, result
  | 'CHILD_WORKFLOW_EXECUTION_FAILED' // initiated_event_id, failure
  | 'CHILD_WORKFLOW_EXECUTION_CANCELED' // initiated_event_id
  | 'CHILD_WORKFLOW_EXECUTION_TERMINATED' // initiated_event_id
  | 'CHILD_WORKFLOW_EXECUTION_TIMED_OUT' // initiated_event_id
  | 'REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED' // initiated_event_id: of the child; what cancel_child makes
  | 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED' // seq, execution_id, signal_name, input
  | 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_FAILED' // initiated_event_id, failure
  | 'EXTERNAL_WORKFLOW_EXECUTION_SIGNALED' // initiated_event_id
  | 'MARKER_RECORDED' // marker_name ('local_step' | 'patch'), seq?, details
  | 'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES' // search_keys
  | 'WORKFLOW_EXECUTION_CANCEL_REQUESTED' // reason?
  | 'WORKFLOW_EXECUTION_COMPLETED' // result
  | 'WORKFLOW_EXECUTION_FAILED' // failure
  | 'WORKFLOW_EXECUTION_CANCELED' // reason?
  | 'WORKFLOW_EXECUTION_TERMINATED' // reason?
  | 'WORKFLOW_EXECUTION_TIMED_OUT'
  | 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW'; // new_run_id, input

/** `message` is for people; `type` is an error name for retry policies. */
export type Failure = { message: string; type?: string; non_retryable?: boolean; stack?: string; cause?: Failure };

export type RetryPolicy = {
  max_attempts: number; // 0 = no bound
  initial_interval_ms: number;
  backoff: number;
  max_interval_ms: number;
  non_retryable_types: string[];
};

export type StepOptions = {
  retry: RetryPolicy;
  timeout_ms: number; // of one attempt
  total_timeout_ms?: number; // of all attempts and waits
  heartbeat_ms?: number;
  rate_limit?: { key: string; max: number; window_ms: number };
};

/**
 * The commands of a turn, in order. `seq` numbers the run's commands from 1; on replay the nth command must match the
 * nth in the history. Every command except `emit` creates exactly one event, in order, directly after the turn's
 * WORKFLOW_TASK_COMPLETED. So a worker can derive the ids of these events and does not receive them.
 */
export type Command =
  | { type: 'schedule_step'; seq: number; name: string; input: Json[]; options: StepOptions }
  | { type: 'cancel_step'; seq: number } // seq of the step
  | { type: 'start_timer'; seq: number; fire_in_ms: number }
  | { type: 'cancel_timer'; seq: number }
  | {
      type: 'start_child';
      seq: number;
      workflow_name: string;
      execution_id?: string; // without one the server makes it from the parent's run and seq
      input: Json;
      deployment_name?: string;
      wait: boolean; // false: the run goes on when the child has started
      parent_close_policy: 'terminate' | 'abandon' | 'request_cancel';
    }
  | { type: 'cancel_child'; seq: number }
  | { type: 'signal_execution'; seq: number; execution_id: string; name: string; input: Json }
  | { type: 'record_marker'; seq?: number; name: string; details: Json }
  | { type: 'complete_update'; update_id: string; result?: Json; failure?: Failure }
  | { type: 'upsert_search_keys'; keys: Record<string, string | null> }
  /** A public event of a custom task, not part of the history. `key` deduplicates it. */
  | { type: 'emit'; key: string; event: CustomTaskEvent }
  | { type: 'complete'; result: Json }
  | { type: 'fail'; failure: Failure }
  | { type: 'cancelled'; reason?: string }
  | { type: 'continue_as_new'; input: Json; workflow_name?: string };

export type CustomTaskEvent = {
  event_type:
    | 'CUSTOM_TASK_STARTED'
    | 'CUSTOM_TASK_IN_PROGRESS'
    | 'CUSTOM_TASK_COMPLETED'
    | 'CUSTOM_TASK_FAILED'
    | 'CUSTOM_TASK_TIMED_OUT'
    | 'CUSTOM_TASK_CANCELED';
  custom_task_id: string;
  custom_task_type: string;
  payload?: { type: 'json'; value: Json } | { type: 'json_patch'; value: JsonPatchOp[] };
  failure?: Failure;
  reason?: string;
  timeout_type?: string;
};

export type JsonPatchOp =
  | { op: 'add' | 'replace' | 'append'; path: string; value: Json }
  | { op: 'remove'; path: string };

/**
 * A turn: the run is leased to this worker until `lease_until_ms`; a worker that responds in time keeps it from turn to
 * turn. `history` begins after `history_after`: what the worker has, or 0.
 */
export type WorkflowTask = {
  token: string;
  execution_id: string;
  run_id: string;
  /** Servers that do not send it accept one turn of a run at a time. */
  root_execution_id?: string;
  workflow_name: string;
  registration_id: string;
  attempt: number;
  history_after: number;
  history: HistoryEvent[];
  /** If `history` ends earlier, read the rest from `GET …/workers/history?run_id&after`. */
  history_end: number;
  lease_until_ms: number;
};

/**
 * One attempt of a step. The result is sent with `token`; an outdated token gets `stale`. A worker that begins a granted
 * step before the response builds the token itself: `${run_id}.${scheduled_event_id}.1`.
 */
export type StepTask = {
  token: string;
  execution_id: string;
  run_id: string;
  root_execution_id: string;
  workflow_name: string;
  scheduled_event_id: number;
  activity_id: string; // the command's seq as text
  name: string;
  input: Json[];
  attempt: number;
  timeout_ms: number;
  heartbeat_ms?: number;
  last_heartbeat?: Json;
  lease_until_ms: number;
};

export type QueryTask = {
  query_id: string;
  run_id: string;
  execution_id: string;
  workflow_name: string;
  name: string;
  input: Json;
};

/** POST /v1/workflows/workers/poll: waits up to `wait_ms` for tasks. */
export type PollRequest = {
  deployment_name: string;
  worker_name: string;
  max_workflow_tasks: number;
  max_step_tasks: number;
  /** The workflows and steps that this worker can run. */
  workflows: string[];
  steps: string[];
  wait_ms: number;
};
/** Runs that the worker has cached come with new events only; see `Advance.release`. */
export type PollResponse = {
  workflow_tasks: WorkflowTask[];
  step_tasks: StepTask[];
  queries: QueryTask[];
  cancelled_steps: string[];
};

/**
 * The end of a turn. The server writes the events of `step_results`, then WORKFLOW_TASK_SCHEDULED, _STARTED (with
 * `time_ms`) and _COMPLETED where missing, then one event per command. `step_results` are successful results of
 * `granted` steps, sent with the turn they led to, so that a step costs one round trip. Failures and cancellations go
 * to `AdvanceRequest.steps`, because the server decides about retries. `base` is the last event that the worker knows.
 * If the run has grown beyond it, the step results count but `commands` do not: the response is `stale` with a task to
 * take instead, with the whole history, and the worker drops its copy of the run.
 *
 * A request may have several advances of one run, in order: a worker that begins the steps of a turn at once has their
 * results before the response. Each builds on the one before, with the ids that its events will have, and `want_steps`
 * is the number of steps it has begun. After one that is `stale` all further ones of the run are.
 */
export type Advance = {
  token: string;
  run_id: string;
  base: number;
  /** `now()` of the turn. */
  time_ms: number;
  step_results: StepResult[];
  commands: Command[];
  /** The turn failed, for example by nondeterminism; then there are no commands. */
  task_failure?: Failure & { nondeterministic?: boolean };
  /** How many of the scheduled steps this worker can run at once itself. */
  want_steps: number;
  /** The worker drops the run from its cache (shutdown, cache full). */
  release: boolean;
};

export type StepResult = { token: string } & ({ result: Json } | { failure: Failure } | { cancelled: true });

/** POST /v1/workflows/workers/advance; responses are in the same order. */
export type AdvanceRequest = { deployment_name: string; worker_name: string; advances: Advance[]; steps: StepResult[] };
export type AdvanceResponse = {
  advances: /**
   * The event of the nth command (from 0, without `emit`) is `first_command_event_id + n`. `last_event_id` is the last
   * of them; later events come as history.
   */
  (
    | {
        status: 'ok';
        last_event_id: number;
        first_command_event_id: number;
        granted: StepTask[];
        lease_until_ms: number;
        next?: WorkflowTask;
      }
    | { status: 'stale'; next?: WorkflowTask } // without `next`: the run is not this worker's any more, or has ended
  )[];
  steps: { status: 'ok' | 'stale' }[];
};

/**
 * POST /v1/workflows/workers/steps/heartbeat: renews leases and returns which steps should stop. `events` are public
 * events of a step's custom tasks (tokens, progress). They are committed before the response, so a step that waits for
 * it publishes them before its ACTIVITY_TASK_COMPLETED. `key` deduplicates them within an attempt.
 */
export type StepHeartbeatRequest = {
  steps: { token: string; details?: Json; events?: { key: string; event: CustomTaskEvent }[] }[];
};
export type StepHeartbeatResponse = { steps: { status: 'ok' | 'cancel_requested' | 'stale' }[] };

/** POST /v1/workflows/workers/queries: the results of queries from a poll. */
export type QueryAnswerRequest = { answers: ({ query_id: string } & ({ result: Json } | { failure: Failure }))[] };

/**
 * POST /v1/workflows/workers/reports, at most 500: events of a worker on Temporal, in order, so that clients see the
 * same events on both engines. `key` deduplicates them within a run. `ended` only makes the server ask Temporal how.
 */
export type ReportsRequest = { deployment_name: string; worker_name: string; reports: Report[] };
export type Report = { execution_id: string; run_id: string; key: string } & ReportBody;
export type ReportBody =
  | { type: 'started' }
  | { type: 'ended' }
  | { type: 'step_started'; seq: number; name: string; input: Json[] }
  | { type: 'step_completed'; seq: number; name: string; result: Json }
  | { type: 'step_failed'; seq: number; name: string; attempt: number; failure: Failure; retried: boolean }
  | { type: 'custom_task'; event: CustomTaskEvent }
  | { type: 'search_keys'; keys: Record<string, string | null> };

/** The memo of an execution on Temporal; continued runs inherit it. */
export type StartMemo = { run_id?: string; schedule_id?: string };

/** Our details of a failure on Temporal, beside Temporal's own. */
export type FailureDetails = { failure: Failure; attempt?: number };

/**
 * GET /v1/workflows/workers/whoami, the first request of a worker. If `features.engine` is `temporal`, tasks come from
 * `scheduler_url` and `namespace`.
 */
export type WhoAmIResponse = { scheduler_url: string; namespace: string; tls: boolean; features: Record<string, Json> };

/** The key of a query result that is a failure message. Temporal does not encrypt failures of queries, only results. */
export const QUERY_FAILURE = '$query_failure';

/** The encryption keys of a workspace on Temporal, in base64; the first one encrypts. */
export type PayloadKeysResponse = { keys: { id: string; key: string }[] };

/** A registered workflow. Times are in seconds, as in the public API. */
export type WorkflowSpec = {
  name: string;
  /** The same as `deployment_name`; for workers that send it. */
  task_queue?: string;
  display_name?: string | null;
  description?: string | null;
  input_schema: { [key: string]: Json };
  output_schema?: { [key: string]: Json } | null;
  signals?: HandlerSpec[];
  queries?: HandlerSpec[];
  updates?: HandlerSpec[];
  enforce_determinism?: boolean;
  on_behalf_of?: boolean;
  execution_timeout?: number; // seconds, default 3600
  plugin_metadata?: { [key: string]: Json } | null;
  is_technical?: boolean;
  /** Dotted paths into the input, at most 20; runs can be searched by their values. */
  search_keys?: string[];
};
export type HandlerSpec = {
  name: string;
  description?: string | null;
  input_schema: { [key: string]: Json };
  output_schema?: { [key: string]: Json } | null;
};

/** POST /v1/workflows/register: at start, and again when a heartbeat fails or returns `all_active: false`. */
export type RegisterRequest = {
  definitions: WorkflowSpec[];
  deployment_name: string; // letters, digits, - and _, at most 128
  worker_name: string;
  deployment_location?: {
    location_type: 'local' | 'k8s' | 'managed';
    k8s_cluster?: string | null;
    k8s_namespace?: string | null;
  } | null;
};
/** Ids and refs are in the order of `definitions`. An unchanged definition keeps its id. */
export type RegisterResponse = {
  has_conflicts: boolean;
  workflow_registration_ids: string[];
  workflow_registration_refs: { workflow_id: string; workflow_version_id: string; workflow_registration_id: string }[];
  warnings: string[];
};

/** POST /v1/workflows/workers/heartbeat: every 10 s; without one for 50 s a worker counts as gone. */
export type WorkerHeartbeatRequest = {
  deployment_name: string;
  worker_name: string;
  workflow_registration_refs?: RegisterResponse['workflow_registration_refs'] | null;
};
export type WorkerHeartbeatResponse = { all_active: boolean };

/**
 * POST /v1/workflows/workers/logs, at most 500 records of workflow code, steps and the worker. A record without an
 * execution belongs to the deployment. `id` is chosen by the worker and deduplicates records, so a batch can be resent.
 */
export type WorkerLogsRequest = { deployment_name: string; worker_name: string; records: WorkerLogRecord[] };
export type WorkerLogRecord = {
  id: string;
  time_ms: number;
  severity: 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'FATAL';
  body: string; // at most 16 KiB
  execution_id?: string;
  run_id?: string;
  workflow_name?: string;
  /** The step of the record: its command's seq as text. */
  activity_id?: string;
  attributes?: Record<string, string>;
};
export type WorkerLogsResponse = { accepted: number };
