import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { ChatService } from '../chat/index.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import { type Database, isUniqueViolation, type Tx } from '../kit/db/index.ts';
import type { Events } from '../kit/events/index.ts';
import { type RequestContext, reusedForAnotherRequest } from '../kit/http/index.ts';
import type { ClaimedTask, Tasks } from '../kit/tasks/index.ts';
import { placeSpan } from '../metering/index.ts';
import { conversationErrors } from './errors.ts';
import type { RunPlan, RunRequest } from './plan-run.ts';
import { streamOf } from './run/durable-journal.ts';
import { type PreparedRun, RUN_LEASE_MS, RUN_QUEUE } from './run/execute-run.ts';
import { openTurn } from './run/open-turn.ts';
import type { OpenTools } from './run/toolbox.ts';
import type { Progress, RunTask } from './schema/run.ts';
import { claimConversation, findConversation, insertConversation, insertEntries } from './store/conversations.ts';
import { updateEntry } from './store/entries.ts';
import { clearExpiredKey, findRunByKey, insertRun, type RunRow } from './store/runs.ts';

const KEY_KEPT_MS = 24 * 60 * 60 * 1000;
const ATTEMPTS_MAX = 5;

export type Call = Pick<
  RequestContext,
  'scope' | 'requestId' | 'signal' | 'setHeader' | 'idempotencyKey' | 'lastEventId' | 'trace'
>;

export type BeginPorts = {
  database: Database;
  events: Events;
  tasks: Tasks;
  chat: Pick<ChatService, 'openTurn'>;
  openTools: OpenTools;
  now: Clock;
};

/** A run that nothing can refuse any more, and of which nothing is stored yet. */
export type AdmittedRun = PreparedRun & { plan: RunPlan };

export type BegunRun = { run: AdmittedRun; claimed: ClaimedTask } | { earlier: RunRow };

class HistoryMoved extends Error {}

// The turn reads and meters on its own: neither the request nor the transaction must leak into it.
const outside = AsyncLocalStorage.snapshot();

/** Admits and stores a run, or finds the one that began with the same Idempotency-Key. */
export async function beginRun(ports: BeginPorts, call: Call, request: RunRequest): Promise<BegunRun> {
  for (let attempt = 1; ; attempt++) {
    const earlier = await findEarlierRun(ports, call, request);
    if (earlier) return { earlier };
    let run: AdmittedRun | undefined;
    try {
      const admitted = await admitRun(ports, call, request);
      run = admitted;
      // Does not wait for the sync: the client sees nothing before a later write of the run is durable.
      const { result: claimed } = await ports.database.commit((tx) => storeRun(ports, tx, request, admitted));
      return { run, claimed };
    } catch (error) {
      run?.turn?.abandon();
      run?.stop.abort();
      await run?.toolbox.close();
      const isRace = error instanceof HistoryMoved || isUniqueViolation(error);
      if (isRace && attempt < ATTEMPTS_MAX) continue;
      // The conflict may be with a run that began with the same key meanwhile, here or in another process.
      const quicker = await findEarlierRun(ports, call, request);
      if (quicker) return { earlier: quicker };
      // Runs of others ended between each reading of the history and its claim.
      throw error instanceof HistoryMoved ? conversationErrors.conversation_busy() : error;
    }
  }
}

async function findEarlierRun({ database, now }: BeginPorts, call: Call, request: RunRequest) {
  const { scope, idempotencyKey: key } = call;
  if (key === undefined) return undefined;
  const row = await findRunByKey(database.db, scope.principal, key);
  if (!row || row.created_ms < now() - KEY_KEPT_MS) return undefined;
  if (row.request_hash !== hashRequest(request)) throw reusedForAnotherRequest(key);
  return row;
}

/** Opens the tools and the first model turn: whatever can refuse the request does so here. */
export async function admitRun(ports: BeginPorts, call: Call, request: RunRequest): Promise<AdmittedRun> {
  const plan = await request.plan();
  const { speaker, confirmed } = plan;
  const history = [...plan.history, ...plan.inputs];
  const { scope } = call;
  const caller = { ...scope, permissions: [...scope.permissions] };
  const conversationId = request.conversationId ?? hexId('conv_');
  const task: RunTask = {
    caller,
    requestId: call.requestId,
    conversationId,
    streams: request.stream,
    handoffExecution: request.handoffExecution,
    completionArgs: request.completionArgs,
    began: request.began,
    guardrails: null,
    takeBackFrom: confirmed?.changed.length ? null : plan.history.length,
    ...(request.parallelToolCalls === false && { parallelToolCalls: false }),
    ...(!request.store && { isPrivate: true }),
    place: placeSpan(call.trace, call.requestId),
  };
  const progress: Progress = {
    turns: 0,
    outputs: 0,
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, connector_tokens: null, connectors: null },
    pending: confirmed?.pending ?? [],
    agentId: null,
    handoffs: 0,
  };
  const stop = new AbortController();
  const toolbox = await ports.openTools(speaker, scope);
  try {
    // Tool calls that the client has just allowed run before the next model turn.
    const turn =
      progress.pending.length === 0
        ? await openTurn(ports.chat, scope, { speaker, toolbox, history, task, progress }, stop.signal, call.setHeader)
        : undefined;
    task.guardrails = turn?.guardrails ?? null;
    if (turn) call.setHeader('tramontane-model', turn.model.id);
    if (toolbox.skills.length > 0) call.setHeader('tramontane-skills', toolbox.skills.join(', '));
    if (speaker.agent) call.setHeader('tramontane-agent-version', `${speaker.agent.id}#${speaker.agent.version}`);
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
      request_hash: call.idempotencyKey === undefined ? null : hashRequest(request),
      created_ms: ports.now(),
      response: request.response ? { ...request.response, input_from: plan.history.length } : null,
    };
    return { row, history, speaker, toolbox, turn, stop, plan, conversation: plan.conversation };
  } catch (error) {
    await toolbox.close();
    throw error;
  }
}

async function storeRun(ports: BeginPorts, tx: Tx, request: RunRequest, run: AdmittedRun): Promise<ClaimedTask> {
  const { events, tasks, now } = ports;
  const { row, plan } = run;
  const { create, settings } = request;
  const { caller } = row.task;
  const { workspace_id, user_id, conversation_id: id } = row;
  const at = isoMicros(now);
  // From when on nobody else can have the run: the model works while it is stored. PostgreSQL may come here twice.
  const askModel = () => outside(() => run.turn?.start());
  if (create) {
    const entries = [...plan.history, ...plan.inputs];
    const rest = { entry_count: entries.length, run_id: row.id, created_at: at, updated_at: at };
    await insertConversation(tx, { id, workspace_id, user_id, ...create, ...rest });
    if (row.idempotency_key === null) askModel();
    await insertEntries(tx, id, 0, entries);
  } else {
    const { inputs, version } = plan;
    const first = await claimConversation(tx, caller, id, {
      runId: row.id,
      at,
      added: inputs.length,
      settings,
      version,
    });
    if (first === undefined) {
      const found = await findConversation(tx, caller, id);
      if (!found) throw conversationErrors.conversation_not_found(id);
      if (found.run_id === null) throw new HistoryMoved();
      throw conversationErrors.conversation_busy();
    }
    if (first !== plan.history.length) throw new HistoryMoved();
    if (row.idempotency_key === null) askModel();
    await insertEntries(tx, id, first, plan.inputs);
  }
  for (const entry of plan.confirmed?.changed ?? []) await updateEntry(tx, id, entry);
  const started = { type: 'conversation.response.started', created_at: at, conversation_id: id };
  const head = await events.append(tx, streamOf(id), [{ type: started.type, data: started }]);
  row.event_from = head - 1;
  if (row.idempotency_key !== null)
    await clearExpiredKey(tx, row.principal, row.idempotency_key, row.created_ms - KEY_KEPT_MS);
  await insertRun(tx, row);
  if (row.idempotency_key !== null) askModel();
  return tasks.enqueueClaimed(tx, { queue: RUN_QUEUE, payload: { run_id: row.id }, attemptsMax: 1000 }, RUN_LEASE_MS);
}

function hashRequest({ fingerprint }: RunRequest): string {
  return createHash('sha256').update(JSON.stringify(fingerprint)).digest('hex');
}
