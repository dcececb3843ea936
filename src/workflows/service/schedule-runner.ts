import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import { ApiError, ValidationFailed } from '../../kit/http/index.ts';
import { createTaskRunner, type RunningTask, type Tasks } from '../../kit/tasks/index.ts';
import type { Authority } from '../../tenants/index.ts';
import type { RegistrationChooser } from '../choose-registration.ts';
import type { WorkflowEngine } from '../engines/port/engine.ts';
import type { Payloads } from '../payloads/port.ts';
import { parseTimetable, TOO_EXPENSIVE } from '../schedules/parse-timetable.ts';
import { planStep, type ScheduleState, type Situation, type Step } from '../schedules/plan-starts.ts';
import { createPlanningShare } from '../schedules/planning-share.ts';
import {
  findSchedule,
  listActiveHolders,
  listActiveSchedulesOf,
  listOpenExecutions,
  listRecentExecutions,
  listUnarmedSchedules,
  type PauseCause,
  type ScheduleHolder,
  type ScheduleRow,
  type StoredDefinition,
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
const ARMED_AT_ONCE = 500;

const NOTES: Record<PauseCause, string> = {
  too_expensive: `Paused by the platform. ${TOO_EXPENSIVE}`,
  unreadable: 'Paused by the platform: its timetable is not valid. Change it, then resume.',
  execution_failed: 'Paused because an execution failed.',
  authority_lost: 'Paused because its creator may not start executions any more.',
};

/** The schedule was changed after it was read; the plan is void. */
class ScheduleMoved extends Error {}

type Plan = Step | { do: 'pause'; because: PauseCause };

export type ScheduleRunner = {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Enqueues the task of a schedule; called with each change of it. */
  arm(tx: Tx, schedule: ScheduleRow): Promise<void>;
  disarm(tx: Tx, schedule: ScheduleRow): Promise<void>;
  /** Starts an execution now, outside of the timetable. */
  startAt(schedule: ScheduleRow, at: number, change: Partial<ScheduleRow>): Promise<void>;
  /** Refuses a schedule that was changed after it was read. */
  move(tx: Tx, schedule: ScheduleRow, change: Partial<ScheduleRow>): Promise<void>;
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
  const share = createPlanningShare();
  let arming: Promise<void> | undefined;
  let isStopping = false;
  const runner = createTaskRunner({
    database,
    now,
    log,
    queues: { [QUEUE]: { concurrency: CONCURRENCY, handler: look, leaseMs: LEASE_MS } },
  });

  async function enqueue(
    tx: Tx,
    { workspace_id, id }: Pick<ScheduleRow, 'workspace_id' | 'id'>,
    dueMs: number,
  ): Promise<void> {
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

  const refusalOf = (holder: ScheduleHolder) => authority.refusalOf(holder, 'workflows:execute');

  /** Pauses the schedules whose creator may not start executions any more. */
  async function pauseRefused(): Promise<void> {
    for (const holder of await listActiveHolders(db)) {
      const lost = await refusalOf(holder);
      if (!lost) continue;
      for (const schedule of await listActiveSchedulesOf(db, holder))
        await pause(schedule, 'authority_lost', noteOf(lost)).catch(ignoreMoved);
    }
  }
  authority.onChange(pauseRefused);

  async function plan(schedule: ScheduleRow): Promise<Plan> {
    const { definition, handled_ms, buffer } = schedule;
    if (schedule.paused || schedule.remaining === 0) return { do: 'wait', untilMs: undefined };
    const waitMs = share.waitMs(schedule.organization_id);
    if (waitMs > 0) return { do: 'wait', untilMs: now() + waitMs };
    const isBusy = await isRunning(schedule);
    return share.measure(schedule.organization_id, () => {
      const rules = readRules(definition);
      if (typeof rules === 'string') return { do: 'pause', because: rules };
      const state = { handledMs: handled_ms, buffer };
      return planStep({ ...rules, scheduleId: schedule.id, state, isRunning: isBusy, nowMs: now() });
    });
  }

  function pause(schedule: ScheduleRow, because: PauseCause, note = NOTES[because]): Promise<void> {
    const change = { paused: true, note, paused_because: because, updated_at: isoMicros(now) };
    return database.transaction((tx) => move(tx, schedule, change));
  }

  /** Whether `pause_on_failure` is set and the last execution failed. */
  async function hasFailed(schedule: ScheduleRow): Promise<boolean> {
    if (!schedule.definition.policy.pause_on_failure) return false;
    const [last] = await listRecentExecutions(db, schedule, 1);
    return last !== undefined && ['FAILED', 'TIMED_OUT'].includes(last.status);
  }

  async function act(schedule: ScheduleRow, step: Exclude<Plan, { do: 'wait' }>): Promise<void> {
    if (step.do === 'pause') {
      log.warn({ schedule_id: schedule.id, because: step.because }, 'a schedule was paused');
      return pause(schedule, step.because);
    }
    if (step.end) await endRunning(schedule, step.end);
    const change = changeOf(step.state);
    if (step.do === 'move') return database.transaction((tx) => move(tx, schedule, change));
    if (await hasFailed(schedule)) return pause(schedule, 'execution_failed');
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
        await pause(schedule, 'authority_lost', noteOf(lost)).catch(ignoreMoved);
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

  /** Gives every active schedule a task; not awaited by the start, since there may be very many. */
  async function armAll(): Promise<void> {
    let last: Pick<ScheduleRow, 'workspace_id' | 'id'> | undefined;
    do {
      const page = await listUnarmedSchedules(db, last, ARMED_AT_ONCE);
      await database.transaction(async (tx) => {
        for (const key of page) await enqueue(tx, key, now());
      });
      last = page.length < ARMED_AT_ONCE ? undefined : page.at(-1);
    } while (last && !isStopping);
  }

  return {
    async start() {
      runner.start();
      arming = armAll().catch((err: unknown) => log.error({ err }, 'schedules could not be resumed'));
    },
    async stop() {
      isStopping = true;
      await arming;
      await runner.stop(STOP_MS);
    },
    async arm(tx, schedule) {
      await disarm(tx, schedule);
      // The task computes the next time itself.
      await enqueue(tx, schedule, now());
    },
    disarm,
    startAt,
    move,
    endRunning,
    isRunning,
    idle: () => runner.idle(),
  };
}

/** What a stored definition says, or why it cannot be used: an earlier program may have accepted what is refused today. */
function readRules(definition: StoredDefinition): Pick<Situation, 'table' | 'overlap' | 'catchupMs'> | PauseCause {
  try {
    const { overlap, catchup_window_seconds } = definition.policy;
    return { table: parseTimetable(definition), overlap, catchupMs: catchup_window_seconds * 1000 };
  } catch (error) {
    if (!(error instanceof ValidationFailed || error instanceof TypeError)) throw error;
    const isExpensive = error instanceof ValidationFailed && error.items[0]?.type === 'schedule_too_expensive';
    return isExpensive ? 'too_expensive' : 'unreadable';
  }
}

function changeOf({ handledMs, buffer }: ScheduleState): Pick<ScheduleRow, 'handled_ms' | 'buffer'> {
  return { handled_ms: handledMs, buffer: [...buffer] };
}

function noteOf({ message }: ApiError): string {
  return message.replace('This ended', 'Paused');
}

/** Whether the schedule was changed by another meanwhile, so that the work was not done. */
export async function isMovedBy(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    ignoreMoved(error);
    return true;
  }
}

function ignoreMoved(error: unknown): void {
  if (!(error instanceof ScheduleMoved)) throw error;
}

/** Ignores that an execution has ended already. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}
