import { randomUUID } from 'node:crypto';
import { CancelledFailure, Context, type Info } from '@temporalio/activity';
import type { AnyStep, Log, StepContext } from '../definitions.ts';
import { toFailure } from '../errors.ts';
import type { Failure, Json, ReportBody } from '../protocol.ts';
import { startProgressTask } from '../run/progress-task.ts';
import { toJson } from '../to-json.ts';
import { traceOfStep } from '../trace-of-step.ts';
import type { Publisher } from './publisher.ts';
import { stepTimeout, toApplicationFailure } from './read-failures.ts';
import type { StepMeta } from './sinks.ts';

export type About = { execution_id: string; run_id: string; workflow_name: string; activity_id: string };

type Options = {
  publisher: Publisher;
  platform: StepContext['platform'];
  logFor: (about: About) => Log;
  onBusy: (change: 1 | -1) => void;
};

type Activity = (meta: StepMeta, ...input: Json[]) => Promise<Json>;

/** Cancellations reach an activity only with the response to a heartbeat. */
const HEARTBEAT_MS = 1000;
/** Events are published before the result, but an unreachable server must not block the step for long. */
const DELIVERED_MS = 2000;

/** Runs steps as Temporal activities. */
export function createActivities(steps: ReadonlyMap<string, AnyStep>, options: Options): Record<string, Activity> {
  return Object.fromEntries(
    [...steps].map(([name, step]) => [name, (meta: StepMeta, ...input: Json[]) => run(step, meta, input, options)]),
  );
}

async function run(step: AnyStep, meta: StepMeta, input: Json[], options: Options): Promise<Json> {
  const { publisher, onBusy } = options;
  const context = Context.current();
  const { info } = context;
  const seq = Number(info.activityId);
  const { name } = step;
  const report = (key: string, body: ReportBody) => publisher.add({ ...placeOf(info), key, ...body });
  onBusy(1);
  const attempt = beginAttempt(context, meta, step, options);
  // Temporal starts the next attempt elsewhere; the function may still run for long.
  const onLate = () =>
    reportFailure(
      info,
      seq,
      name,
      stepTimeout(name, { ...step.options, timeout_ms: startToCloseTimeoutMs }, undefined),
      report,
    );
  const { startToCloseTimeoutMs } = info;
  const late = info.isLocal ? undefined : setTimeout(onLate, startToCloseTimeoutMs);
  try {
    if (!info.isLocal) reportStart(step, info, seq, input, report);
    const given = step.read(input[0], `The input of the step "${name}"`);
    const result = toJson(await step.run(given, attempt.context));
    if (!info.isLocal) report(`s${seq}.completed`, { type: 'step_completed', seq, name, result });
    return result;
  } catch (error) {
    // The step stopped as requested; the error it threw does not matter.
    if (attempt.isCancelRequested()) throw new CancelledFailure('The step was cancelled.');
    const failure = toFailure(error);
    if (!info.isLocal) reportFailure(info, seq, name, failure, report);
    throw toApplicationFailure(failure, info.attempt, failure.non_retryable ?? false);
  } finally {
    clearTimeout(late);
    attempt.end();
    onBusy(-1);
    if (!info.isLocal) await publisher.delivered(DELIVERED_MS);
  }
}

type SendReport = (key: string, body: ReportBody) => void;

/** Each attempt also reports the previous ones, whose worker may have died; reports are deduplicated. */
function reportStart(step: AnyStep, { attempt }: Info, seq: number, input: Json[], report: SendReport): void {
  const { name } = step;
  report(`s${seq}.started`, { type: 'step_started', seq, name, input });
  if (attempt === 1) return;
  const failure = stepTimeout(name, step.options, 'HEARTBEAT');
  report(`s${seq}.${attempt - 1}`, { type: 'step_failed', seq, name, attempt: attempt - 1, failure, retried: true });
}

/** The workflow reports the last failure again under the same key: it also knows failures that no worker saw. */
function reportFailure(info: Info, seq: number, name: string, failure: Failure, report: SendReport): void {
  const retried = isRetried(info, failure);
  const key = retried ? `s${seq}.${info.attempt}` : `s${seq}.failed`;
  report(key, { type: 'step_failed', seq, name, attempt: info.attempt, failure, retried });
}

function isRetried({ attempt, retryPolicy }: Info, { type, non_retryable }: Failure): boolean {
  const { maximumAttempts = 0, nonRetryableErrorTypes = [] } = retryPolicy ?? {};
  const isLast = maximumAttempts > 0 && attempt >= maximumAttempts;
  return !isLast && !non_retryable && !nonRetryableErrorTypes.includes(type ?? '');
}

const placeOf = ({ workflowExecution }: Info) => ({
  execution_id: workflowExecution?.workflowId ?? '',
  run_id: workflowExecution?.runId ?? '',
});

function beginAttempt(context: Context, meta: StepMeta, step: AnyStep, options: Options) {
  const { info } = context;
  const { publisher, platform, logFor } = options;
  const about: About = {
    execution_id: info.workflowExecution?.workflowId ?? '',
    run_id: meta.run_id,
    workflow_name: info.workflowType ?? '',
    activity_id: info.activityId,
  };
  let details: Json | undefined;
  let emitted = 0;
  let cancelled = false;
  context.cancelled.catch((error: Error) => {
    cancelled = error.message === 'CANCELLED';
  });
  // Steps with `heartbeatMs` send heartbeats themselves; the worker does so for all others.
  const isKeptAlive = !info.isLocal && step.settings.heartbeat === undefined;
  const timer = isKeptAlive ? setInterval(() => context.heartbeat(details), HEARTBEAT_MS) : undefined;
  const stepContext: StepContext = {
    executionId: about.execution_id,
    runId: about.run_id,
    workflow: about.workflow_name,
    idempotencyKey: `${about.run_id}/${info.activityId}`,
    attempt: info.attempt,
    signal: context.cancellationSignal,
    lastHeartbeat: (info.heartbeatDetails ?? undefined) as Json | undefined,
    platform,
    get traceparent() {
      return traceOfStep(about.execution_id, about.run_id, info.activityId);
    },
    get log() {
      return logFor(about);
    },
    heartbeat(given) {
      if (given !== undefined) details = toJson(given);
      if (!info.isLocal) context.heartbeat(details);
    },
    task: (type, state) =>
      startProgressTask(
        {
          id: randomUUID(),
          type,
          emit: (event) => {
            const key = `t${info.activityId}.${info.attempt}.${++emitted}`;
            publisher.add({ ...placeOf(info), key, type: 'custom_task', event });
          },
        },
        state,
      ),
  };
  return { context: stepContext, isCancelRequested: () => cancelled, end: () => clearInterval(timer) };
}
