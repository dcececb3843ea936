import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import { createTaskRunner, type RunningTask, type Tasks } from '../../kit/tasks/index.ts';
import type { Authority } from '../../tenants/index.ts';
import type { RegistrationChooser } from '../choose-registration.ts';
import type { WorkflowEngine } from '../engines/port/engine.ts';
import type { Payloads } from '../payloads/port.ts';
import { parseTimetable } from '../schedules/parse-timetable.ts';
import { planStep, type ScheduleState, type Step } from '../schedules/plan-starts.ts';
import {
  findSchedule,
  listActiveHolders,
  listActiveSchedules,
  listActiveSchedulesOf,
  listOpenExecutions,
  listRecentExecutions,
  type ScheduleHolder,
  type ScheduleRow,
  setScheduleTask,
  updateSchedule,
} from '../store/schedules.ts';

const QUEUE = 'workflow-schedules';
const CONCURRENCY = 8;
const STOP_MS = 5000;
/** Lease of a schedule's task: after this time another process takes over. */
const LEASE_MS = 4000;
/** Server errors are retried for years: a schedule is never dropped. */
const ATTEMPTS_MAX = 1_000_000;
/** Steps per task, so that a schedule that is far behind does not block others. */
const STEPS_MAX = 1000;

/** The schedule was changed after it was read; the plan is void. */
class ScheduleMoved extends Error {}

export type ScheduleRunner = {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Enqueues the task of a schedule; called with each change of it. */
  arm(tx: Tx, schedule: ScheduleRow): Promise<void>;
  disarm(tx: Tx, schedule: ScheduleRow): Promise<void>;
  /** Starts an execution now, outside of the timetable. */
  startAt(schedule: ScheduleRow, at: number, change: Partial<ScheduleRow>): Promise<void>;
  endRunning(schedule: ScheduleRow, how: 'cancel' | 'terminate'): Promise<void>;
  isRunning(schedule: ScheduleRow): Promise<boolean>;
  /** Runs what is due; for tests that hold the clock. */
  idle(): Promise<void>;
};

/**
 * One task per schedule, due at its next start. A start commits together with the schedule's state if its version is
 * unchanged, so each time is started once, however many processes run.
 */
export function createScheduleRunner(deps: {
  database: Database;
  engine: WorkflowEngine;
  chooser: RegistrationChooser;
  payloads: Payloads;
  tasks: Tasks;
  authority: Authority;
  now: Clock;
  log: Logger;
}): ScheduleRunner {
  const { database, engine, chooser, payloads, tasks, authority, now, log } = deps;
  const { db } = database;
  const runner = createTaskRunner({
    database,
    now,
    log,
    queues: { [QUEUE]: { concurrency: CONCURRENCY, handler: look, leaseMs: LEASE_MS } },
  });

  async function enqueue(tx: Tx, { workspace_id, id }: ScheduleRow, dueMs: number): Promise<void> {
    const taskId = await tasks.enqueue(tx, {
      queue: QUEUE,
      payload: { workspace_id, id },
      runAtMs: dueMs,
      attemptsMax: ATTEMPTS_MAX,
      dedupeKey: `${workspace_id}:${id}`,
    });
    await setScheduleTask(tx, workspace_id, id, taskId);
  }

  const isRunning = async (schedule: ScheduleRow) => (await listOpenExecutions(db, schedule)).length > 0;

  async function endRunning(schedule: ScheduleRow, how: 'cancel' | 'terminate'): Promise<void> {
    const { workspace_id: workspaceId } = schedule;
    for (const executionId of await listOpenExecutions(db, schedule))
      await engine[how]({ workspaceId, executionId }, `The schedule '${schedule.id}' starts the next one.`).catch(
        ignoreRefusal,
      );
  }

  async function startAt(schedule: ScheduleRow, at: number, change: Partial<ScheduleRow>): Promise<void> {
    const chosen = await chooser.findForSchedule(schedule);
    const input = await payloads.unpack(schedule.workspace_id, schedule.input);
    const { workflow, registration } = chosen;
    await engine.start({
      organizationId: schedule.organization_id,
      workspaceId: schedule.workspace_id,
      userId: schedule.user_id,
      executionId: `${schedule.id}-${new Date(at).toISOString()}`,
      workflowId: workflow.id,
      workflowName: workflow.name,
      displayName: workflow.display_name,
      registrationId: registration.id,
      deploymentName: registration.deployment_name,
      input,
      executionTimeoutMs: registration.definition.execution_timeout * 1000,
      searchKeyPaths: registration.search_keys,
      scheduleId: schedule.id,
      metadata: { scheduled_at: new Date(at).toISOString() },
      within: (tx) => move(tx, schedule, change),
    });
  }

  async function move(tx: Tx, schedule: ScheduleRow, change: Partial<ScheduleRow>): Promise<void> {
    if (!(await updateSchedule(tx, schedule, change))) throw new ScheduleMoved();
  }

  function pause(schedule: ScheduleRow, note: string): Promise<void> {
    return database.transaction((tx) => move(tx, schedule, { paused: true, note, updated_at: isoMicros(now) }));
  }

  const refusalOf = (holder: ScheduleHolder) => authority.refusalOf(holder, 'workflows:execute');

  /** Pauses the schedules whose creator may not start executions any more. */
  async function pauseRefused(): Promise<void> {
    for (const holder of await listActiveHolders(db)) {
      const lost = await refusalOf(holder);
      if (!lost) continue;
      for (const schedule of await listActiveSchedulesOf(db, holder))
        await pause(schedule, noteOf(lost)).catch(ignoreMoved);
    }
  }
  authority.onChange(pauseRefused);

  async function plan(schedule: ScheduleRow): Promise<Step> {
    const { definition, handled_ms, buffer } = schedule;
    if (schedule.paused || schedule.remaining === 0) return { do: 'wait', untilMs: undefined };
    return planStep({
      scheduleId: schedule.id,
      table: parseTimetable(definition),
      overlap: definition.policy.overlap,
      catchupMs: definition.policy.catchup_window_seconds * 1000,
      state: { handledMs: handled_ms, buffer },
      isRunning: await isRunning(schedule),
      nowMs: now(),
    });
  }

  /** Whether `pause_on_failure` is set and the last execution failed. */
  async function hasFailed(schedule: ScheduleRow): Promise<boolean> {
    if (!schedule.definition.policy.pause_on_failure) return false;
    const [last] = await listRecentExecutions(db, schedule, 1);
    return last !== undefined && ['FAILED', 'TIMED_OUT'].includes(last.status);
  }

  async function act(schedule: ScheduleRow, step: Exclude<Step, { do: 'wait' }>): Promise<void> {
    if (step.end) await endRunning(schedule, step.end);
    const change = changeOf(step.state);
    if (step.do === 'move') return database.transaction((tx) => move(tx, schedule, change));
    if (await hasFailed(schedule)) return pause(schedule, 'Paused because an execution failed.');
    const { remaining } = schedule;
    try {
      await startAt(schedule, step.at, { ...change, ...(remaining === null ? {} : { remaining: remaining - 1 }) });
    } catch (error) {
      // A refusal (an archived workflow, an id that is running) is not retried.
      if (!(error instanceof ApiError)) throw error;
      log.warn({ schedule_id: schedule.id, err: error }, 'a scheduled execution was not started');
      await database.transaction((tx) => move(tx, schedule, change));
    }
  }

  async function look(task: RunningTask, { signal }: { signal: AbortSignal }): Promise<void> {
    const { workspace_id, id } = task.payload as { workspace_id: string; id: string };
    for (let steps = 0; !signal.aborted; steps++) {
      const schedule = await findSchedule(db, workspace_id, id);
      if (!schedule) return;
      const lost = schedule.paused ? undefined : await refusalOf(schedule);
      if (lost) {
        await pause(schedule, noteOf(lost)).catch(ignoreMoved);
        continue;
      }
      const step = await plan(schedule);
      const untilMs = step.do === 'wait' ? step.untilMs : steps >= STEPS_MAX ? now() : undefined;
      if (step.do === 'wait' || untilMs !== undefined) return finish(task, schedule, untilMs);
      await act(schedule, step).catch(ignoreMoved);
    }
  }

  async function finish(task: RunningTask, schedule: ScheduleRow, untilMs: number | undefined): Promise<void> {
    await database.transaction(async (tx) => {
      await task.complete(tx);
      const current = await findSchedule(tx, schedule.workspace_id, schedule.id);
      if (!current) return;
      // Changed meanwhile: the change relied on this task, so the next one is due now.
      const dueMs = current.version === schedule.version ? untilMs : now();
      if (dueMs === undefined) await setScheduleTask(tx, schedule.workspace_id, schedule.id, null);
      else await enqueue(tx, schedule, dueMs);
    });
  }

  async function disarm(tx: Tx, { task_id }: ScheduleRow): Promise<void> {
    if (task_id !== null) await tasks.cancel(tx, task_id);
  }

  return {
    async start() {
      for (const schedule of await listActiveSchedules(db))
        await database.transaction((tx) => enqueue(tx, schedule, now()));
      runner.start();
    },
    stop: () => runner.stop(STOP_MS),
    async arm(tx, schedule) {
      await disarm(tx, schedule);
      // The task computes the next time itself.
      await enqueue(tx, schedule, now());
    },
    disarm,
    startAt,
    endRunning,
    isRunning,
    idle: () => runner.idle(),
  };
}

function changeOf({ handledMs, buffer }: ScheduleState): Pick<ScheduleRow, 'handled_ms' | 'buffer'> {
  return { handled_ms: handledMs, buffer: [...buffer] };
}

function noteOf({ message }: ApiError): string {
  return message.replace('This ended', 'Paused');
}

function ignoreMoved(error: unknown): void {
  if (!(error instanceof ScheduleMoved)) throw error;
}

/** Ignores that an execution has ended already. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}
