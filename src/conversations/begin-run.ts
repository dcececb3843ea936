import { createHash } from 'node:crypto';
import type { ChatService, CompletionArgs } from '../chat/index.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import { type Database, isUniqueViolation, type Tx } from '../kit/db/index.ts';
import type { Events } from '../kit/events/index.ts';
import { conflict, notFound, reusedForAnotherRequest } from '../kit/http/index.ts';
import type { ClaimedTask, Tasks } from '../kit/tasks/index.ts';
import type { Answering, Call } from './answer.ts';
import { noUsage } from './run/count-usage.ts';
import { streamOf } from './run/durable-journal.ts';
import { type Prepared, RUN_LEASE_MS, RUN_QUEUE, type Runs } from './run/run-tasks.ts';
import { callOf, nextRequest } from './run/say.ts';
import type { Confirmed } from './run/take-inputs.ts';
import type { OpenTools } from './run/tools.ts';
import type { Noted } from './schema/memo.ts';
import type { Caller, Progress, RunTask, Speaker } from './schema/run.ts';
import type { Settings } from './schema/settings.ts';
import { claimConversation, findConversation, insertConversation } from './store/conversations.ts';
import { appendEntries, updateEntry } from './store/entries.ts';
import { deleteOldKey, findRunByKey, insertRun, type RunRow } from './store/runs.ts';

const KEY_KEPT_MS = 24 * 60 * 60 * 1000;
const PLANS_MAX = 5;

/** What was said before, what the client adds, and who answers. */
export type Plan = { speaker: Speaker; history: Noted[]; inputs: Noted[]; confirmed: Confirmed | null };

export type Beginning = {
  began: RunTask['began'];
  /** Null when the run makes a conversation. */
  conversationId: string | null;
  make: { settings: Settings; metadata: Record<string, unknown> | null } | null;
  body: {
    stream: boolean;
    store: boolean;
    handoffExecution: RunTask['handoffExecution'];
    completionArgs: CompletionArgs | null;
  };
  /** What must be the same when an Idempotency-Key comes again. */
  request: unknown;
  plan(): Promise<Plan>;
};

export type BeginPorts = {
  database: Database;
  events: Events;
  tasks: Tasks;
  runs: Runs;
  chat: Pick<ChatService, 'openTurn'>;
  openTools: OpenTools;
  now: Clock;
};

/** A run with everything that can refuse it behind it, and nothing stored yet. */
export type Ready = Prepared & { conversationId: string; plan: Plan };

class HistoryMoved extends Error {}

export async function prepareRun(ports: BeginPorts, call: Call, beginning: Beginning): Promise<Ready> {
  const plan = await beginning.plan();
  const { speaker, confirmed } = plan;
  const history = [...plan.history, ...plan.inputs];
  const stop = new AbortController();
  const caller = callerOf(call);
  const task: RunTask = {
    caller,
    requestId: call.requestId,
    streams: beginning.body.stream,
    handoffExecution: beginning.body.handoffExecution,
    completionArgs: beginning.body.completionArgs,
    began: beginning.began,
    guardrails: null,
    takeBackFrom: confirmed?.changed.length ? null : plan.history.length,
  };
  const progress: Progress = {
    turns: 0,
    outputs: 0,
    usage: noUsage(),
    pending: confirmed?.pending ?? [],
    agentId: null,
    handoffs: 0,
  };
  const toolbox = await ports.openTools(speaker, caller);
  try {
    // Tools that the client has just allowed come first; what the model is asked then, nobody knows yet.
    const isAsked = progress.pending.length === 0;
    const asked = { ...callOf(task, stop.signal), setHeader: call.setHeader };
    const turn = isAsked
      ? await ports.chat.openTurn(asked, nextRequest({ speaker, toolbox, history, task, progress }))
      : undefined;
    task.guardrails = turn?.guardrails ?? null;
    if (turn) call.setHeader('tramontane-model', turn.model.id);
    if (toolbox.skills.length > 0) call.setHeader('tramontane-skills', toolbox.skills.join(', '));
    if (speaker.agent) call.setHeader('tramontane-agent-version', `${speaker.agent.id}#${speaker.agent.version}`);
    const conversationId = beginning.conversationId ?? hexId('conv_');
    const row: RunRow = {
      id: hexId('run_'),
      conversation_id: conversationId,
      workspace_id: caller.workspace_id,
      user_id: caller.user_id,
      state: 'running',
      task,
      progress,
      outcome: null,
      output_from: history.length,
      event_from: 0,
      event_to: null,
      principal: caller.principal,
      idempotency_key: call.idempotencyKey ?? null,
      request_hash: call.idempotencyKey === undefined ? null : hashOf(beginning),
      created_ms: ports.now(),
    };
    return { row, history, speaker, toolbox, turn, stop, conversationId, plan };
  } catch (error) {
    await toolbox.close();
    throw error;
  }
}

/** Stores the run with the client's inputs and sets it going here, or finds the one that the same key began. */
export async function beginRun(ports: BeginPorts, call: Call, beginning: Beginning, answer: Answering) {
  const { database, runs } = ports;
  for (let tries = 1; ; tries++) {
    const earlier = await findEarlier(ports, call, beginning);
    if (earlier) return answer.again(call, earlier);
    let ready: Ready | undefined;
    try {
      const prepared = await prepareRun(ports, call, beginning);
      ready = prepared;
      // The client hears of nothing before the run's own writes are durable: an answer waits for its end, and a stream
      // shows no event before that is on disk.
      const { result: claimed } = await database.commit((tx) => store(ports, tx, beginning, prepared));
      const ended = runs.prepare(prepared);
      runs.runner.adopt(claimed);
      return answer.first(call, prepared.row, ended);
    } catch (error) {
      ready?.turn?.abandon();
      await ready?.toolbox.close();
      const isRace = error instanceof HistoryMoved || isUniqueViolation(error);
      if (isRace && tries < PLANS_MAX) continue;
      // What is in its way may be the run that the same key has begun meanwhile, here or in another process.
      const quicker = await findEarlier(ports, call, beginning);
      if (quicker) return answer.again(call, quicker);
      throw error;
    }
  }
}

async function findEarlier({ database, now }: BeginPorts, { scope, idempotencyKey: key }: Call, beginning: Beginning) {
  if (key === undefined) return undefined;
  const row = await findRunByKey(database.db, scope.principal, key);
  if (!row || row.created_ms < now() - KEY_KEPT_MS) return undefined;
  if (row.request_hash !== hashOf(beginning)) throw reusedForAnotherRequest(key);
  return row;
}

async function store(ports: BeginPorts, tx: Tx, { make }: Beginning, ready: Ready): Promise<ClaimedTask> {
  const { events, tasks, now } = ports;
  const { row, plan, conversationId } = ready;
  const { caller } = row.task;
  const at = isoMicros(now);
  if (make) {
    const { workspace_id, user_id } = caller;
    const times = { created_at: at, updated_at: at };
    await insertConversation(tx, { id: conversationId, workspace_id, user_id, ...make, run_id: row.id, ...times });
  } else if (!(await claimConversation(tx, caller, conversationId, row.id, at))) {
    const found = await findConversation(tx, caller, conversationId);
    throw found
      ? conflict('This conversation is answering already. Wait for that answer, or read its events.')
      : notFound('conversation', conversationId);
  }
  const added = make ? [...plan.history, ...plan.inputs] : plan.inputs;
  const first = await appendEntries(tx, conversationId, row.id, added);
  if (first !== (make ? 0 : plan.history.length)) throw new HistoryMoved();
  for (const entry of plan.confirmed?.changed ?? []) await updateEntry(tx, conversationId, entry);
  const started = { type: 'conversation.response.started', created_at: at, conversation_id: conversationId };
  const head = await events.append(tx, streamOf(conversationId), [{ type: started.type, data: started }]);
  row.event_from = head - 1;
  if (row.idempotency_key !== null)
    await deleteOldKey(tx, row.principal, row.idempotency_key, row.created_ms - KEY_KEPT_MS);
  await insertRun(tx, row);
  return tasks.enqueueClaimed(tx, { queue: RUN_QUEUE, payload: { run_id: row.id }, attemptsMax: 1000 }, RUN_LEASE_MS);
}

function callerOf({ scope }: Call): Caller {
  return { ...scope, permissions: [...scope.permissions] };
}

function hashOf({ request }: Beginning): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}
