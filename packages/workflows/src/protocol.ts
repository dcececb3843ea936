/**
 * What a worker and the server say to each other: plain JSON over the platform's HTTP API. One worker speaks for one
 * deployment. Times are milliseconds since the epoch.
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

/** What went wrong, in words for people; `type` is a class name for retry policies. */
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
 * What a turn of workflow code asks for, in the order in which it asked. `seq` counts the run's commands of all kinds
 * that have one, from 1; on replay the nth command must be the nth in the history, or the run is not deterministic.
 * Every command but `emit` makes exactly one event of its own, in the order of the commands and
 * without any other between them, right after the turn's WORKFLOW_TASK_COMPLETED. So a worker knows the ids of its
 * commands' events from the first one, and needs not be sent what it said itself.
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
  /** Not part of the history: a public event of a custom task. `key` makes a repetition harmless. */
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
 * A turn to take: the run is leased to this worker until `lease_until_ms`, and while it answers in time it keeps it
 * from turn to turn. `history` begins after `history_after`, which is what the worker said it has, or 0.
 */
export type WorkflowTask = {
  token: string;
  execution_id: string;
  run_id: string;
  workflow_name: string;
  registration_id: string;
  attempt: number;
  history_after: number;
  history: HistoryEvent[];
  /** More history than fits one answer: ask `GET …/workers/history?run_id&after` until it is whole. */
  history_end: number;
  lease_until_ms: number;
};

/** One attempt of one step. The result is sent with `token`; whoever comes second is told `stale`. */
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

/** POST /v1/workflows/workers/poll: waits up to `wait_ms` for something to do. */
export type PollRequest = {
  deployment_name: string;
  worker_name: string;
  max_workflow_tasks: number;
  max_step_tasks: number;
  /** Names of workflows and steps this worker's code has: it is given nothing else. */
  workflows: string[];
  steps: string[];
  wait_ms: number;
};
/** `cached`: runs the server thinks this worker holds come with only the history that is new; see `Advance.release`. */
export type PollResponse = {
  workflow_tasks: WorkflowTask[];
  step_tasks: StepTask[];
  queries: QueryTask[];
  cancelled_steps: string[];
};

/**
 * The end of a turn. The server writes, in this order: the events of `step_results` in their order, then
 * WORKFLOW_TASK_SCHEDULED, _STARTED (with `time_ms`) and _COMPLETED as far as they are not there yet, then one event
 * per command. Only results that succeeded come here, because a failure may be followed by another attempt, which the
 * server alone decides: failures and cancellations of steps come in `AdvanceRequest.steps`.
 * `base` is the last event the worker had seen. `step_results` are those of this run's own steps
 * that were handed to this worker with the last answer (`granted`), sent together with the turn they led to, so that
 * a step costs one round trip. If the run has grown beyond `base` meanwhile (a signal came), the step results count,
 * `commands` do not, and the answer is `stale` with the task to take instead, its history whole from 0: the worker drops
 * its copy of the run.
 */
export type Advance = {
  token: string;
  run_id: string;
  base: number;
  /** `now()` of the turn whose commands these are. */
  time_ms: number;
  step_results: StepResult[];
  commands: Command[];
  /** The turn itself failed (code threw where it may not, history does not fit the code). Then no commands. */
  task_failure?: Failure & { nondeterministic?: boolean };
  /** How many of the scheduled steps this worker would like to run itself, at once. */
  want_steps: number;
  /** The worker gives the run up (drain, cache full): the server forgets that it is cached here. */
  release: boolean;
};

export type StepResult = { token: string } & ({ result: Json } | { failure: Failure } | { cancelled: true });

/** POST /v1/workflows/workers/advance takes many of both; answers in the same order. */
export type AdvanceRequest = { deployment_name: string; worker_name: string; advances: Advance[]; steps: StepResult[] };
export type AdvanceResponse = {
  advances: /**
   * The event of the nth command that makes one, from 0, is `first_command_event_id + n`. `last_event_id` is the last event the
   * worker knows of thereby; what comes after it comes as history.
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
 * POST /v1/workflows/workers/steps/heartbeat: renews leases; tells which steps should stop. `events` are public events
 * of custom tasks that a step has (a model's tokens, progress); they are committed before the answer, so a step that
 * waits for it before it sends its result has them all before its ACTIVITY_TASK_COMPLETED. A `key` repeats harmlessly
 * within an attempt of a step.
 */
export type StepHeartbeatRequest = {
  steps: { token: string; details?: Json; events?: { key: string; event: CustomTaskEvent }[] }[];
};
export type StepHeartbeatResponse = { steps: { status: 'ok' | 'cancel_requested' | 'stale' }[] };

/** POST /v1/workflows/workers/queries: the answers to queries of a poll. */
export type QueryAnswerRequest = { answers: ({ query_id: string } & ({ result: Json } | { failure: Failure }))[] };

/**
 * POST /v1/workflows/workers/reports, at most 500: what a worker on Temporal saw, in its order, so that readers of events
 * are told the same whatever engine runs. A `key` repeats harmlessly within a run. How a run ended is not reported: the
 * server asks Temporal itself, and `ended` only says that it is time.
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

/** What the server writes into the memo of what it starts on Temporal. Later runs of the execution have it too. */
export type StartMemo = { run_id?: string; schedule_id?: string };

/** What a step or a workflow of ours says of its failure on Temporal, beside Temporal's own words. */
export type FailureDetails = { failure: Failure; attempt?: number };

/**
 * GET /v1/workflows/workers/whoami: what a worker asks first. `features.engine` is `embedded`, or `temporal`: then
 * `scheduler_url` and `namespace` say where on Temporal the tasks of this workspace are.
 */
export type WhoAmIResponse = { scheduler_url: string; namespace: string; tls: boolean; features: Record<string, Json> };

/**
 * The only key of a query's result that is the words of its failure. Temporal carries such words as they are, and a
 * worker that seals what it sends has to put them into a result, which is sealed.
 */
export const QUERY_FAILURE = '$query_failure';

/** The keys that the values of a workspace are sealed with on Temporal, as base64; the first one seals. */
export type PayloadKeysResponse = { keys: { id: string; key: string }[] };

/** What a worker's code has, as it is registered. Times are seconds here, because the public API shows them so. */
export type WorkflowSpec = {
  name: string;
  /** The same as the deployment's name; kept for workers that send it. */
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
  /** Dotted paths into the input, at most 20: their values can be searched for in the list of runs. */
  search_keys?: string[];
};
export type HandlerSpec = {
  name: string;
  description?: string | null;
  input_schema: { [key: string]: Json };
  output_schema?: { [key: string]: Json } | null;
};

/** POST /v1/workflows/register: at start, and again whenever a heartbeat fails or says `all_active: false`. */
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
/** Ids and refs stand in the order of `definitions`. The same definition keeps its id, a changed one gets a new one. */
export type RegisterResponse = {
  has_conflicts: boolean;
  workflow_registration_ids: string[];
  workflow_registration_refs: { workflow_id: string; workflow_version_id: string; workflow_registration_id: string }[];
  warnings: string[];
};

/** POST /v1/workflows/workers/heartbeat: every 10 s; a worker that was not heard of for 50 s counts as gone. */
export type WorkerHeartbeatRequest = {
  deployment_name: string;
  worker_name: string;
  workflow_registration_refs?: RegisterResponse['workflow_registration_refs'] | null;
};
export type WorkerHeartbeatResponse = { all_active: boolean };

/**
 * POST /v1/workflows/workers/logs, at most 500 records: what workflow code, steps and the worker itself have to say.
 * A record of an execution is kept with it; one without belongs to the deployment. `id` is the worker's own (a UUID,
 * say): a record that was sent before under its id is not kept twice, so a batch whose answer was lost is sent again.
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
  /** `activity_id` of the step (its command's seq as text), for what a step says. */
  activity_id?: string;
  attributes?: Record<string, string>;
};
export type WorkerLogsResponse = { accepted: number };
