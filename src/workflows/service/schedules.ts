import type { Json } from '../../../packages/workflows/src/protocol.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { createTurns } from '../../kit/base/in-turn.ts';
import { ownTurn } from '../../kit/base/own-turn.ts';
import { type Database, isUniqueViolation, readGroups, type Tx, takePage } from '../../kit/db/index.ts';
import { type PageTokens, type Scope, ValidationFailed } from '../../kit/http/index.ts';
import type { Authority } from '../../tenants/index.ts';
import { checkInput } from '../check-input.ts';
import type { ChosenWorkflow, RegistrationChooser, ScheduledWorkflow } from '../choose-registration.ts';
import { parseCursor, workflowErrors } from '../errors.ts';
import { checkPayload } from '../payloads/limits.ts';
import type { Payloads } from '../payloads/port.ts';
import type { RecordChange } from '../record-change.ts';
import type { Budget } from '../schedules/calendar.ts';
import { createBudget, nextTime, type Timetable } from '../schedules/next-times.ts';
import { parseTimetable, TOO_EXPENSIVE } from '../schedules/parse-timetable.ts';
import { onTime } from '../schedules/plan-starts.ts';
import {
  type PartialScheduleDefinition,
  type ScheduleDefinitionOutput,
  type ScheduleOverlapPolicy,
  SchedulePolicy,
  type SchedulesQuery,
  type WorkflowScheduleRequest,
  type WorkflowScheduleResponse,
} from '../schema/schedules.ts';
import {
  deleteSchedule,
  findSchedule,
  findSchedules,
  insertSchedule,
  listRecentExecutions,
  listSchedules,
  lockSchedule,
  type ScheduleChange,
  type ScheduleRow,
  type StoredDefinition,
  updateSchedule,
} from '../store/schedules.ts';
import { isMovedBy, type ScheduleRunner } from './schedule-runner.ts';

const SHOWN = 10;
const GROUP_CHARACTERS_MAX = 256 * 1024;
const AT_SCHEDULE = ['body', 'schedule'];
const AT_INPUT = [...AT_SCHEDULE, 'input'];

export type ScheduleService = {
  create(scope: Scope, request: WorkflowScheduleRequest): Promise<WorkflowScheduleResponse>;
  /** In groups: an input may have 2 MiB. */
  list(
    scope: Scope,
    query: SchedulesQuery,
  ): Promise<{ groups: AsyncGenerator<ScheduleDefinitionOutput[]>; next_page_token: string | null }>;
  get(scope: Scope, id: string): Promise<ScheduleDefinitionOutput>;
  update(scope: Scope, id: string, change: PartialScheduleDefinition): Promise<WorkflowScheduleResponse>;
  remove(scope: Scope, id: string): Promise<undefined>;
  setPaused(scope: Scope, id: string, paused: boolean, note: string | null | undefined): Promise<undefined>;
  trigger(scope: Scope, id: string, overlap: ScheduleOverlapPolicy | null | undefined): Promise<undefined>;
};

export function createSchedules(deps: {
  database: Database;
  chooser: RegistrationChooser;
  runner: ScheduleRunner;
  payloads: Payloads;
  tokens: PageTokens;
  record: RecordChange;
  authority: Pick<Authority, 'refusalOf'>;
  now: Clock;
}): ScheduleService {
  const { database, chooser, runner, payloads, tokens, record, authority, now } = deps;
  const { db } = database;
  const inTurn = createTurns();

  async function mustFind(scope: Scope, id: string): Promise<ScheduleRow> {
    const row = await findSchedule(db, scope.workspace_id, id);
    if (!row) throw workflowErrors.schedule_not_found(id);
    return row;
  }

  async function mustLock(tx: Tx, scope: Scope, id: string): Promise<ScheduleRow> {
    const row = await lockSchedule(tx, database.kind, scope.workspace_id, id);
    if (!row) throw workflowErrors.schedule_not_found(id);
    return row;
  }

  /** Finds the workflow by registration or identifier. */
  function findTarget(scope: Scope, request: WorkflowScheduleRequest): Promise<ScheduledWorkflow> {
    const registrationId = request.workflow_registration_id ?? request.workflow_version_id;
    const identifier = request.workflow_identifier;
    const deployment = request.deployment_name ?? request.workflow_task_queue ?? null;
    if (registrationId != null) return chooser.findToSchedule(scope.workspace_id, { registrationId }, deployment);
    if (identifier != null) return chooser.findToSchedule(scope.workspace_id, { identifier }, deployment);
    throw workflowErrors.schedule_workflow_required(
      ['body'],
      'Name the workflow in workflow_identifier or workflow_registration_id.',
      null,
    );
  }

  async function packInput(scope: Scope, { registration }: ChosenWorkflow, given: unknown): Promise<Json> {
    const input = given ?? {};
    checkInput(registration.definition.input_schema, input, AT_INPUT);
    checkPayload(input, AT_INPUT);
    return payloads.pack(scope.workspace_id, input as Json);
  }

  /** Changes the schedule, writes the audit log and enqueues its task, in one transaction. */
  async function change(
    scope: Scope,
    id: string,
    event: 'update' | 'pause' | 'resume',
    make: (row: ScheduleRow) => ScheduleChange,
  ): Promise<void> {
    await database.transaction(async (tx) => {
      const row = await mustLock(tx, scope, id);
      const made = { ...make(row), updated_at: isoMicros(now) };
      await updateSchedule(tx, row, made);
      await runner.arm(tx, { ...row, ...made });
      await record(tx, scope, `workflow.schedule.${event}`, id);
    });
  }

  async function show(row: ScheduleRow, budget: Budget): Promise<ScheduleDefinitionOutput> {
    const { definition } = row;
    const recent = await listRecentExecutions(db, row, SHOWN);
    return {
      ...definition,
      input: await payloads.unpack(row.workspace_id, row.input),
      schedule_id: row.id,
      remaining_executions: row.remaining,
      workflow_name: row.workflow_name,
      deployment_name: row.deployment_name,
      paused: row.paused,
      note: row.note,
      future_executions: futureOf(row, budget),
      recent_executions: recent.map(({ execution_id, started_at, metadata }) => ({
        scheduled_at: String(metadata?.scheduled_at ?? started_at),
        started_at,
        execution_id,
      })),
    };
  }

  /** An input that is kept apart is larger than its row. */
  async function* showAll(groups: AsyncIterable<ScheduleRow[]>): AsyncGenerator<ScheduleDefinitionOutput[]> {
    const budget = createBudget();
    for await (const rows of groups) {
      let shown: ScheduleDefinitionOutput[] = [];
      let characters = 0;
      for (const row of rows) {
        const schedule = await show(row, budget);
        shown.push(schedule);
        characters += (JSON.stringify(schedule.input) ?? '').length;
        if (characters < GROUP_CHARACTERS_MAX) continue;
        yield shown;
        [shown, characters] = [[], 0];
      }
      yield shown;
    }
  }

  /** All schedules of a response share a budget; what it does not cover is left out. */
  function futureOf({ definition, handled_ms, paused, remaining }: ScheduleRow, budget: Budget) {
    const times: { scheduled_at: string }[] = [];
    const limit = paused ? 0 : Math.min(SHOWN, remaining ?? SHOWN);
    if (limit === 0 || budget.steps <= 0) return times;
    const table = readStored(definition);
    if (!table) return times;
    let at = nextTime(table, Math.max(handled_ms, now()), budget);
    for (; at !== undefined && times.length < limit; at = nextTime(table, at, budget))
      times.push({ scheduled_at: new Date(at).toISOString() });
    return times;
  }

  async function triggerNow(
    scope: Scope,
    id: string,
    overlap: ScheduleOverlapPolicy | null | undefined,
  ): Promise<void> {
    const row = await mustFind(scope, id);
    const at = now();
    const step = onTime({
      overlap: overlap ?? row.definition.policy.overlap,
      state: { handledMs: row.handled_ms, buffer: row.buffer },
      isRunning: await runner.isRunning(row),
      at,
    });
    if (step.end) await runner.endRunning(row, step.end);
    const moved = { buffer: [...step.state.buffer] };
    if (step.do === 'start') return runner.startAt(row, at, moved);
    await database.transaction(async (tx) => {
      const current = await mustLock(tx, scope, id);
      await runner.move(tx, row, moved);
      await runner.arm(tx, current);
    });
  }

  return {
    async create(scope, request) {
      const { schedule } = request;
      const id = request.schedule_id ?? schedule.schedule_id ?? uuid();
      const definition = definitionOf(schedule);
      const chosen = await findTarget(scope, request);
      if (chosen.registration.definition.on_behalf_of)
        throw workflowErrors.workflow_not_schedulable(
          ['body'],
          'A workflow that acts on behalf of its caller cannot be scheduled: a schedule has no caller.',
          null,
        );
      await checkTimetable(definition, now());
      const at = isoMicros(now);
      const row: ScheduleRow = {
        workspace_id: scope.workspace_id,
        id,
        organization_id: scope.organization_id,
        ...holderOf(scope),
        workflow_id: chosen.workflow.id,
        workflow_name: chosen.workflow.name,
        deployment_name: request.deployment_name ?? request.workflow_task_queue ?? chosen.pinned ?? null,
        definition,
        input: await packInput(scope, chosen, schedule.input),
        paused: false,
        note: null,
        paused_because: null,
        remaining: schedule.max_executions ?? null,
        handled_ms: now(),
        buffer: [],
        version: 1,
        task_id: null,
        created_at: at,
        updated_at: at,
      };
      try {
        await database.transaction(async (tx) => {
          await insertSchedule(tx, row);
          await runner.arm(tx, row);
          await record(tx, scope, 'workflow.schedule.create', id, { workflow: row.workflow_name });
        });
      } catch (error) {
        throw isUniqueViolation(error) ? workflowErrors.schedule_exists(id) : error;
      }
      return { schedule_id: id };
    },

    async list(scope, query) {
      const { page_size, next_page_token, ...filters } = query;
      const question = ['workflow-schedules', scope.workspace_id, JSON.stringify(filters)];
      const found = await findSchedules(database, scope.workspace_id, {
        workflowName: query.workflow_name,
        userId: query.user_id === 'current' ? scope.user_id : query.user_id,
        paused: query.status === undefined ? undefined : query.status === 'paused',
        prefix: query.search,
        after: parseCursor(tokens, question, next_page_token, 'next_page_token') as
          | { created_at: string; id: string }
          | undefined,
        limit: page_size === undefined ? undefined : page_size + 1,
      });
      // Without a size the client expects all of them, and no token.
      const page = page_size === undefined ? found : takePage(found.slice(0, page_size));
      const last = page.at(-1);
      const next = found.length > page.length && last ? { created_at: last.created_at, id: last.id } : undefined;
      const rows = readGroups(page, (group) =>
        listSchedules(
          db,
          scope.workspace_id,
          group.map(({ id }) => id),
        ),
      );
      return { groups: showAll(rows), next_page_token: next ? tokens.write(question, next) : null };
    },

    get: async (scope, id) => show(await mustFind(scope, id), createBudget()),

    async update(scope, id, request) {
      const row = await mustFind(scope, id);
      const { input, max_executions } = request;
      const definition = definitionOf({ ...row.definition, ...withoutUndefined(request) });
      await checkTimetable(definition, now());
      const chosen =
        input === undefined
          ? undefined
          : await chooser.findToSchedule(scope.workspace_id, { identifier: row.workflow_id }, row.deployment_name);
      const packed = chosen && (await packInput(scope, chosen, input));
      await change(scope, id, 'update', () => ({
        definition,
        ...(packed === undefined ? {} : { input: packed }),
        ...(max_executions === undefined ? {} : { remaining: max_executions }),
        // Missed starts of the old timetable are dropped.
        handled_ms: now(),
        buffer: [],
      }));
      return { schedule_id: id };
    },

    async remove(scope, id) {
      await database.transaction(async (tx) => {
        const row = await mustLock(tx, scope, id);
        await runner.disarm(tx, row);
        await deleteSchedule(tx, scope.workspace_id, id);
        await record(tx, scope, 'workflow.schedule.delete', id);
      });
    },

    async setPaused(scope, id, paused, note) {
      const row = await mustFind(scope, id);
      // Whoever resumes a schedule whose creator may not start executions any more answers for it from now on.
      const isOrphaned = !paused && (await authority.refusalOf(row, 'workflows:execute')) !== undefined;
      await change(scope, id, paused ? 'pause' : 'resume', (row) => {
        if (!paused) findFirst(row.definition, now());
        return {
          paused,
          note: note ?? null,
          paused_because: null,
          ...(isOrphaned ? holderOf(scope) : {}),
          // Starts that were due during the pause are dropped.
          ...(row.paused && !paused ? { handled_ms: now(), buffer: [] } : {}),
        };
      });
    },

    async trigger(scope, id, overlap) {
      await mustFind(scope, id);
      await database.transaction((tx) => record(tx, scope, 'workflow.schedule.trigger', id));
      await inTurn(`${scope.workspace_id} ${id}`, async () => {
        // Its own task, or a trigger in another process, may change it after it was read: then it is looked at again.
        while (await isMovedBy(() => triggerNow(scope, id, overlap)));
      });
    },
  };
}

/** Whom a schedule starts executions for. */
function holderOf({ user_id, key_id, session_id }: Scope): Pick<ScheduleRow, 'user_id' | 'key_id'> {
  return { user_id, key_id: session_id === undefined ? key_id : null };
}

function definitionOf(given: PartialScheduleDefinition): StoredDefinition {
  return {
    calendars: given.calendars ?? [],
    intervals: given.intervals ?? [],
    cron_expressions: given.cron_expressions ?? [],
    skip: given.skip ?? [],
    start_at: given.start_at ?? null,
    end_at: given.end_at ?? null,
    jitter: given.jitter ?? null,
    time_zone_name: given.time_zone_name ?? null,
    policy: given.policy ?? SchedulePolicy.parse({}),
  };
}

/** Undefined for a stored timetable that today would be refused; it is about to be paused, and says why then. */
function readStored(definition: StoredDefinition): Timetable | undefined {
  try {
    return parseTimetable(definition);
  } catch (error) {
    if (error instanceof ValidationFailed || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The first start; refuses a timetable whose search uses up its budget. */
function findFirst(definition: StoredDefinition, nowMs: number): number | undefined {
  const budget = createBudget();
  const at = nextTime(parseTimetable(definition), nowMs, budget);
  if (budget.steps > 0) return at;
  throw workflowErrors.schedule_too_expensive(AT_SCHEDULE, TOO_EXPENSIVE, null);
}

/** Refuses a schedule that would never start anything. */
async function checkTimetable(definition: StoredDefinition, nowMs: number): Promise<void> {
  // The search may take some ten milliseconds.
  await ownTurn();
  if (findFirst(definition, nowMs) !== undefined) return;
  throw workflowErrors.schedule_without_starts(
    AT_SCHEDULE,
    'This schedule has no future start. Give it a calendar, an interval or a cron expression that has one.',
    null,
  );
}

function withoutUndefined<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}
