import type {
  Advance,
  AdvanceRequest,
  AdvanceResponse,
  Command,
  HistoryEvent,
  PollRequest,
  PollResponse,
  QueryAnswerRequest,
  StepHeartbeatRequest,
  StepHeartbeatResponse,
  StepTask,
} from '../../../../packages/workflows/src/protocol.ts';
import type { Database } from '../../../kit/db/index.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { readHistory } from '../../store/history.ts';
import { findRunRow } from '../../store/runs.ts';
import type { ChildRegistration, FindRegistration } from '../port/engine.ts';
import type { Payloads } from '../port/run-payloads.ts';
import { type Advanced, advanceRun, reportStep, type TakenTurn } from './advance.ts';
import { emit, recordEvent, type SentEvent } from './custom-events.ts';
import { readyTopic, stepTask } from './dispatch.ts';
import { releaseRun, renewLease } from './leases.ts';
import { HISTORY_PAGE_BYTES, HISTORY_PAGE_EVENTS } from './limits.ts';
import { createPoll, workflowTask } from './poll.ts';
import type { createQueries } from './queries.ts';
import { groupOf, type Sessions } from './sessions.ts';
import { findHeld, offer, renewStep } from './steps.ts';
import { parseStepToken } from './tokens.ts';
import type { WorkCommitter, WorkUnit } from './work-unit.ts';

/** The engine's interface for workers; each call acts within one workspace. */
export type WorkerPort = {
  poll(workspaceId: string, request: PollRequest, signal: AbortSignal): Promise<PollResponse>;
  advance(workspaceId: string, request: AdvanceRequest): Promise<AdvanceResponse>;
  heartbeatSteps(workspaceId: string, request: StepHeartbeatRequest): Promise<StepHeartbeatResponse>;
  answerQueries(workspaceId: string, request: QueryAnswerRequest): Promise<undefined>;
  historyPage(workspaceId: string, runId: string, after: number): Promise<HistoryEvent[]>;
  /** Events that workers send outside of turns, in order. */
  recordEvents(workspaceId: string, events: SentEvent[]): Promise<void>;
  /** Returns uncollected mail to other workers, and lets waiting polls read the tables. */
  returnUncollected(): Promise<void>;
  stop(): void;
};

export function createWorkerPort(options: {
  database: Database;
  committer: WorkCommitter;
  sessions: Sessions;
  payloads: Payloads;
  queries: ReturnType<typeof createQueries>;
  findRegistration: FindRegistration;
}): WorkerPort {
  const { database, committer, sessions, payloads, queries, findRegistration } = options;
  const sources = { db: database.db, payloads };
  const poll = createPoll({ database, committer, sessions, payloads, findQueries: queries.find, onDisconnect });
  const listeners = new Map<string, () => void>();

  // Mail that cannot be returned now comes back when its lease expires.
  function onDisconnect(): void {
    returnMail().catch(() => undefined);
  }

  async function returnMail(): Promise<void> {
    const returned: Promise<void>[] = [];
    for (const { turns, steps, queries: unread } of sessions.sweep()) {
      for (const { run } of turns) returned.push(committer.commit((unit) => returnTurn(unit, run)));
      for (const { step } of steps) returned.push(committer.commit((unit) => returnStep(unit, step)));
      for (const task of unread) returned.push(queries.offerAgain(task));
    }
    await Promise.all(returned);
  }

  /** Listens for work that other processes made ready. */
  function listenFor(group: string): void {
    if (listeners.has(group)) return;
    listeners.set(
      group,
      database.wakeups.listen(readyTopic(group), () => sessions.hint(group)),
    );
  }

  async function findChildren(workspaceId: string, { commands }: Advance): Promise<TakenTurn['childOf']> {
    const found = new Map<Command, ChildRegistration | undefined>();
    for (const command of commands)
      if (command.type === 'start_child')
        found.set(command, await findRegistration(workspaceId, command.workflow_name, command.deployment_name));
    return (command: Command) => found.get(command);
  }

  async function toResponse(workspaceId: string, advanced: Advanced): Promise<AdvanceAnswer> {
    const next = advanced.next ? { next: await workflowTask(sources, advanced.next) } : {};
    if (advanced.status === 'stale') return { status: 'stale', ...next };
    const tasks: StepTask[] = [];
    for (const step of advanced.granted) {
      const task = stepTask({ row: advanced.run }, step, advanced.run.lease_until_ms ?? 0);
      tasks.push({ ...task, input: await payloads.unpackList(workspaceId, task.input) });
    }
    return { ...shortResponse(advanced), granted: tasks, ...next };
  }

  return {
    poll(workspaceId, request, signal) {
      listenFor(groupOf(workspaceId, request.deployment_name));
      return poll(workspaceId, request, signal);
    },
    async advance(workspaceId, { deployment_name, worker_name, advances, steps }) {
      const group = groupOf(workspaceId, deployment_name);
      const known = sessions.find(group, worker_name);
      if (known) sessions.seen(known);
      const canRun = (name: string) => known?.steps.has(name) ?? true;
      const by = { workspaceId, worker: worker_name, canRun };
      const ofRuns = Map.groupBy(advances, ({ token }) => token);
      const answered = [...ofRuns].map(async ([token, ofRun]) => {
        const turns: TakenTurn[] = [];
        for (const advance of ofRun) {
          const soon = payloads.packAdvance(workspaceId, advance);
          const packed = soon instanceof Promise ? await soon : soon;
          turns.push({
            advance: packed,
            childOf: hasChild(packed) ? await findChildren(workspaceId, packed) : noChild,
          });
        }
        const advanced = await committer.commitSoon((unit) => advanceRun(unit, turns, by), turns.length);
        for (const { next } of advanced) if (next) sessions.dropTurn(group, worker_name, next.run.run_id);
        return [token, advanced.values()] as const;
      });
      const reports = steps.map(async (result) => {
        const packed = await payloads.packResult(workspaceId, result);
        return committer.commit((unit) => reportStep(unit, workspaceId, packed));
      });
      const [taken, reported] = [new Map(await Promise.all(answered)), await Promise.all(reports)];
      const answers: AdvanceAnswer[] = [];
      for (const { token } of advances) {
        const advanced = taken.get(token)?.next().value ?? { status: 'stale' };
        answers.push(isShort(advanced) ? shortResponse(advanced) : await toResponse(workspaceId, advanced));
      }
      return { advances: answers, steps: reported };
    },
    async heartbeatSteps(workspaceId, { steps }) {
      const beats = steps.map((beat) => committer.commit((unit) => heartbeat(unit, workspaceId, beat)));
      return { steps: await Promise.all(beats) };
    },
    answerQueries: queries.answer,
    async historyPage(workspaceId, runId, after) {
      if (!(await findRunRow(database.db, workspaceId, runId))) return [];
      const events = await readHistory(database.db, runId, after, HISTORY_PAGE_EVENTS, HISTORY_PAGE_BYTES);
      return payloads.unpackEvents(workspaceId, events);
    },
    async recordEvents(workspaceId, events) {
      await committer.commit(async (unit) => {
        for (const event of events) await recordEvent(unit, workspaceId, event);
      });
    },
    async returnUncollected() {
      sessions.hintIdle();
      await returnMail();
    },
    stop() {
      for (const unlisten of listeners.values()) unlisten();
      listeners.clear();
    },
  };
}

const noChild = () => undefined;
const hasChild = ({ commands }: Advance): boolean => commands.some(({ type }) => type === 'start_child');

type AdvanceAnswer = AdvanceResponse['advances'][number];
type Accepted = Extract<Advanced, { status: 'ok' }>;

/** The response to most turns: nothing has to be read for it. */
function isShort(advanced: Advanced): advanced is Accepted {
  return advanced.status === 'ok' && advanced.granted.length === 0 && !advanced.next;
}

function shortResponse({ run, lastEventId, firstCommandEventId }: Accepted): AdvanceAnswer & { status: 'ok' } {
  return {
    status: 'ok',
    last_event_id: lastEventId,
    first_command_event_id: firstCommandEventId,
    granted: [],
    lease_until_ms: run.lease_until_ms ?? 0,
  };
}

type Beat = StepHeartbeatRequest['steps'][number];

async function heartbeat(
  unit: WorkUnit,
  workspaceId: string,
  { token, details, events }: Beat,
): Promise<StepHeartbeatResponse['steps'][number]> {
  const named = parseStepToken(token);
  const run = named && (await unit.findRun(workspaceId, named.runId));
  if (!run || hasEnded(run.row.status)) return { status: 'stale' };
  const step = findHeld(await unit.stepsOf(run), token);
  if (!step) return { status: 'stale' };
  if (events) {
    // Keys are unique within one attempt of a step.
    const prefix = `${step.scheduled_event_id}.${step.attempt}.`;
    await emit(
      unit,
      run,
      events.map(({ key, event }) => ({ key: prefix + key, event })),
    );
  }
  renewStep(unit, run, step, details);
  if (step.state === 'granted') renewLease(unit, run);
  return { status: step.cancel_requested ? 'cancel_requested' : 'ok' };
}

async function returnTurn(unit: WorkUnit, { run_id, lease_seq }: { run_id: string; lease_seq: number }): Promise<void> {
  const run = await unit.findRun(undefined, run_id);
  if (run && !hasEnded(run.row.status) && run.row.lease_seq === lease_seq) await releaseRun(unit, run);
}

async function returnStep(
  unit: WorkUnit,
  { run_id, scheduled_event_id, lease_seq }: { run_id: string; scheduled_event_id: number; lease_seq: number },
): Promise<void> {
  const run = await unit.findRun(undefined, run_id);
  if (!run || hasEnded(run.row.status)) return;
  const step = (await unit.stepsOf(run)).get(scheduled_event_id);
  if (step?.lease_seq === lease_seq && step.state === 'leased') offer(unit, run, step, unit.nowMs);
}
