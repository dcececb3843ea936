import type { AgentService } from '../agents/index.ts';
import type { AgentTool, ChatService } from '../chat/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import { type Announce, type Events, resumePoint } from '../kit/events/index.ts';
import { mapGroups, type Scope, type SseEvent } from '../kit/http/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';
import type { RecordSpan } from '../metering/index.ts';
import type { Authority } from '../tenants/index.ts';
import { admitRun, beginRun, type Call } from './begin-run.ts';
import { conversationErrors } from './errors.ts';
import { type ConversationOverview, createOverview } from './overview.ts';
import {
  getConversation,
  loadAgent,
  loadSpeaker,
  planAppend,
  planRestart,
  planStart,
  type RunRequest,
} from './plan-run.ts';
import { pruneRuns } from './prune-runs.ts';
import { followRun, type Reply, replay, respond } from './respond.ts';
import { endEventOf, streamOf } from './run/durable-journal.ts';
import { createRunExecutor, toRunError } from './run/execute-run.ts';
import type { RunPorts } from './run/run.ts';
import type { OpenTools } from './run/toolbox.ts';
import { runUnstored } from './run-unstored.ts';
import type { Entry, MessageEntry } from './schema/entries.ts';
import type {
  AnyConversation,
  ConversationAppendRequest,
  ConversationRequest,
  ConversationRestartRequest,
  ConversationsQuery,
} from './schema/requests.ts';
import type { ConversationBranches } from './schema/responses.ts';
import { listBranches } from './store/branches.ts';
import {
  type ConversationRow,
  deleteConversation,
  findConversation,
  listConversations,
} from './store/conversations.ts';
import { readEntries } from './store/entries.ts';
import { deleteResponsesOf, responseIdOf } from './store/responses.ts';
import { endRun, findNewestRun, findRun } from './store/runs.ts';
import { createStoredResponses, type StoredResponses } from './stored-responses.ts';
import { createWarmConversations } from './warm-conversations.ts';

const BRANCHES_MAX = 100;
const HIDDEN = '********';
const NO_REPLY = {
  object: 'conversation.response' as const,
  outputs: [],
  usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, connector_tokens: null, connectors: null },
  guardrails: null,
};
const MESSAGE_TYPES = ['message.input', 'message.output'];

export type ConversationService = {
  start(call: Call, body: ConversationRequest): Promise<Reply>;
  /** Starts one that goes on by itself; returns its id, the same one for the same Idempotency-Key. */
  begin(call: Call, body: ConversationRequest): Promise<string>;
  append(call: Call, id: string, body: ConversationAppendRequest): Promise<Reply>;
  restart(call: Call, id: string, body: ConversationRestartRequest): Promise<Reply>;
  /** In groups, however large they are. */
  list(scope: Scope, query: ConversationsQuery): Promise<AsyncGenerator<AnyConversation[]>>;
  get(scope: Scope, id: string): Promise<AnyConversation>;
  remove(scope: Scope, id: string): Promise<undefined>;
  history(scope: Scope, id: string): Promise<AsyncGenerator<Entry[]>>;
  messages(scope: Scope, id: string): Promise<AsyncGenerator<MessageEntry[]>>;
  /** Other conversations of the user that begin with the same entries. */
  branches(scope: Scope, id: string): Promise<ConversationBranches>;
  overview: ConversationOverview;
  /** The events of the newest run: from its beginning, or after Last-Event-ID. */
  events(call: Call, id: string): Promise<AsyncIterable<SseEvent>>;
  /** Turns of conversations that are asked for, kept and shown as responses. */
  responses: StoredResponses;
  /** Deletes old runs with their events; the entries stay. */
  prune(): Promise<void>;
  startRuns(): void;
  stopRuns(limitMs: number): Promise<void>;
};

export type ConversationPorts = {
  database: Database;
  events: Events;
  tasks: Tasks;
  chat: Pick<ChatService, 'openTurn'>;
  agents: Pick<AgentService, 'get'>;
  openTools: OpenTools;
  authority: Authority;
  recordSpan?: RecordSpan | undefined;
  announce?: Announce | undefined;
  /** Deletes what else remembers of a conversation. */
  forget?: ((scope: Scope, conversationId: string) => Promise<void>) | undefined;
  now: Clock;
  log: Logger;
};

export function createConversationService(given: ConversationPorts): ConversationService {
  const ports = { ...given, warm: createWarmConversations(given.database) };
  const { database, events, agents, now } = ports;
  const { db } = database;
  const runPorts: RunPorts = {
    ...ports,
    loadAgent: (caller, id) => loadAgent(agents, caller, id, null),
    requireAgent: (caller, { id, version }) => agents.get(caller, id, version),
  };
  const executor = createRunExecutor({
    ...ports,
    ...runPorts,
    async reloadSpeaker({ id, conversation_id, progress }, caller) {
      const row = await findConversation(db, caller, conversation_id);
      if (row?.run_id !== id) return undefined;
      return progress.agentId ? loadAgent(agents, caller, progress.agentId, null) : loadSpeaker(ports, caller, row);
    },
  });

  async function run(call: Call, request: RunRequest): Promise<Reply> {
    if (!request.store) return runUnstored(runPorts, call, await admitRun(ports, call, request));
    const begun = await beginRun(ports, call, request);
    if ('earlier' in begun) return replay(ports, call, begun.earlier);
    return respond(ports, call, begun.run.row, executor.execute(begun.run, begun.claimed));
  }

  async function runResponse(call: Call, request: RunRequest): Promise<{ id: string; reply: Reply }> {
    const { response } = request;
    if (!response) return { id: '', reply: await run(call, request) };
    const begun = await beginRun(ports, call, request);
    const row = 'earlier' in begun ? begun.earlier : begun.run.row;
    const id = responseIdOf(row.id);
    const ended = 'earlier' in begun ? undefined : executor.execute(begun.run, begun.claimed);
    // Goes on by itself, here or in another process.
    if (response.background) {
      if (!ended) call.setHeader('idempotency-replayed', 'true');
      return { id, reply: { ...NO_REPLY, conversation_id: row.conversation_id } };
    }
    return { id, reply: await (ended ? respond(ports, call, row, ended) : replay(ports, call, row)) };
  }

  return {
    start: async (call, body) => run(call, await planStart(ports, call.scope, body)),
    async begin(call, body) {
      const begun = await beginRun(ports, call, await planStart(ports, call.scope, body));
      if ('earlier' in begun) return begun.earlier.conversation_id;
      // Its outcome is stored with the run.
      executor.execute(begun.run, begun.claimed).catch(() => undefined);
      return begun.run.row.conversation_id;
    },
    append: async (call, id, body) => run(call, planAppend(ports, call.scope, id, body)),
    restart: async (call, id, body) => run(call, await planRestart(ports, call.scope, id, body)),
    async list(scope, { page, page_size, metadata }) {
      const range = { offset: page * page_size, limit: page_size, metadata: metadata ?? {} };
      return mapGroups(await listConversations(database, scope, range), toWire);
    },
    get: async (scope, id) => toWire(await getConversation(ports, scope, id)),
    async remove(scope, id) {
      const runId = await database.transaction(async (tx) => {
        const deleted = await deleteConversation(tx, scope, id);
        if (!deleted) throw conversationErrors.conversation_not_found(id);
        await deleteResponsesOf(tx, id);
        const stream = streamOf(id);
        await events.trim(tx, stream, await events.head(tx, stream));
        const running = deleted.run_id === null ? undefined : await findRun(tx, deleted.run_id);
        if (!running) return undefined;
        const { progress } = running;
        const outcome = { error: toRunError(conversationErrors.conversation_deleted()) };
        const data = endEventOf(outcome, progress, now);
        const event_to = await events.append(tx, stream, [{ type: data.type, data }]);
        await endRun(tx, running.id, { state: 'failed', progress, outcome, event_to });
        return running.id;
      });
      if (runId) executor.abort(runId);
      ports.warm.take(scope, id);
      await ports.forget?.(scope, id);
      return undefined;
    },
    async history(scope, id) {
      await getConversation(ports, scope, id);
      return readEntries(database, id);
    },
    async messages(scope, id) {
      await getConversation(ports, scope, id);
      return readEntries(database, id, MESSAGE_TYPES) as AsyncGenerator<MessageEntry[]>;
    },
    async branches(scope, id) {
      await getConversation(ports, scope, id);
      const rows = await listBranches(db, scope, id, BRANCHES_MAX);
      return {
        branches: rows.map(({ id: conversation_id, settings, created_at, updated_at, entry_count, shared }) => ({
          conversation_id,
          name: settings.name,
          created_at,
          updated_at,
          entries: entry_count,
          shared_entries: shared,
        })),
      };
    },
    overview: createOverview(database),
    async events({ scope, signal, lastEventId }, id) {
      await getConversation(ports, scope, id);
      const newest = await findNewestRun(db, scope, id);
      if (!newest) throw conversationErrors.conversation_run_not_found(id);
      const after = lastEventId === undefined ? newest.event_from : resumePoint(lastEventId);
      return followRun(ports, newest, after, signal);
    },
    responses: createStoredResponses({ ...ports, run: runResponse, abort: (runId) => executor.abort(runId) }),
    prune: () => pruneRuns(ports),
    startRuns: () => executor.runner.start(),
    stopRuns: (limitMs) => executor.runner.stop(limitMs),
  };
}

function toWire({ id, created_at, updated_at, metadata, settings }: ConversationRow): AnyConversation {
  const { name, description } = settings;
  const common = { object: 'conversation' as const, id, created_at, updated_at, name, description, metadata };
  if (settings.kind === 'agent') {
    const { agent_id, agent_version } = settings;
    return { ...common, agent_id, agent_version };
  }
  const { model, instructions, tools, completion_args, guardrails } = settings;
  return { ...common, model, instructions, tools: tools.map(hideSecret), completion_args, guardrails };
}

function hideSecret(tool: AgentTool): AgentTool {
  if (tool.type !== 'connector' || !tool.authorization) return tool;
  return { ...tool, authorization: { ...tool.authorization, value: HIDDEN } };
}
