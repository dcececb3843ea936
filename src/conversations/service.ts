import type { AgentService } from '../agents/index.ts';
import type { ChatService } from '../chat/index.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import { type Events, resumePoint } from '../kit/events/index.ts';
import { badRequest, notFound, type Scope, type SseEvent } from '../kit/http/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';
import type { Viewer } from '../registry/index.ts';
import { type Answer, type Call, createAnswering } from './answer.ts';
import { type Beginning, beginRun, prepareRun } from './begin-run.ts';
import { findSpeaker } from './find-speaker.ts';
import { pruneRuns } from './prune-runs.ts';
import { streamOf } from './run/durable-journal.ts';
import { createEventFlusher } from './run/flush-events.ts';
import { createRuns } from './run/run-tasks.ts';
import type { RunPorts } from './run/running.ts';
import { takeConfirmations, takeInputs } from './run/take-inputs.ts';
import type { OpenTools } from './run/tools.ts';
import { runInMemory } from './run-in-memory.ts';
import type { Entry, MessageEntry } from './schema/entries.ts';
import type {
  AnyConversation,
  ConversationAppendRequest,
  ConversationRequest,
  ConversationRestartRequest,
  ConversationsQuery,
} from './schema/requests.ts';
import type { ConversationBranches } from './schema/responses.ts';
import type { Speaker } from './schema/run.ts';
import { settingsOf, wireOf } from './settings.ts';
import { listBranches } from './store/branches.ts';
import {
  type ConversationRow,
  deleteConversation,
  findConversation,
  listConversations,
} from './store/conversations.ts';
import { listEntries, listMessages } from './store/entries.ts';
import { endRun, findNewestRun, findRun } from './store/runs.ts';

const BRANCHES_SHOWN = 100;

export type ConversationService = {
  start(call: Call, body: ConversationRequest): Promise<Answer>;
  append(call: Call, id: string, body: ConversationAppendRequest): Promise<Answer>;
  restart(call: Call, id: string, body: ConversationRestartRequest): Promise<Answer>;
  list(scope: Scope, query: ConversationsQuery): Promise<AnyConversation[]>;
  get(scope: Scope, id: string): Promise<AnyConversation>;
  remove(scope: Scope, id: string): Promise<undefined>;
  history(scope: Scope, id: string): Promise<Entry[]>;
  messages(scope: Scope, id: string): Promise<MessageEntry[]>;
  /** Other conversations of the user that begin with the same entries. */
  branches(scope: Scope, id: string): Promise<ConversationBranches>;
  /** The events of the newest run: from its beginning, or after the last one seen. */
  events(call: Call, id: string): Promise<AsyncIterable<SseEvent>>;
  /** Forgets the events of runs that ended a day ago; the entries stay. */
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
  now: Clock;
  log: Logger;
};

export function createConversationService(ports: ConversationPorts): ConversationService {
  const { database, events, now, log } = ports;
  const { db } = database;

  async function speakerOf(
    scope: Viewer,
    { settings, metadata }: Pick<ConversationRow, 'settings' | 'metadata'>,
  ): Promise<Speaker> {
    const variables = metadata?.variables;
    if (settings.kind === 'agent') {
      const speaker = await findSpeaker(ports.agents, scope, settings.agent_id, settings.agent_version);
      return {
        ...speaker,
        guardrails: settings.guardrails ?? speaker.guardrails,
        variables: variables ?? speaker.variables,
      };
    }
    const { model, instructions, tools, completion_args: completionArgs, guardrails } = settings;
    return { agent: null, model, instructions, tools, completionArgs, guardrails, variables, handoffs: [], skills: [] };
  }

  const running: RunPorts = {
    chat: ports.chat,
    now,
    findSpeaker: ({ caller }, agentId) => findSpeaker(ports.agents, caller, agentId, null),
    openToolbox: (speaker, { caller }) => ports.openTools(speaker, caller),
  };
  const runs = createRuns({
    ...running,
    database,
    events,
    log,
    flusher: createEventFlusher(database, events, log),
    async load({ id, conversation_id, task: { caller }, progress }) {
      const row = await findConversation(db, caller, conversation_id);
      if (row?.run_id !== id) return undefined;
      return progress.agentId ? findSpeaker(ports.agents, caller, progress.agentId, null) : speakerOf(caller, row);
    },
  });
  const answering = createAnswering({ database, events });
  const runPorts = { ...ports, runs };

  async function begin(call: Call, beginning: Beginning): Promise<Answer> {
    if (beginning.body.store) return beginRun(runPorts, call, beginning, answering);
    return runInMemory(running, call, await prepareRun(runPorts, call, beginning));
  }

  async function get(scope: Scope, id: string): Promise<ConversationRow> {
    const row = await findConversation(db, scope, id);
    if (!row) throw notFound('conversation', id);
    return row;
  }

  return {
    async start(call, body) {
      const settings = settingsOf(body);
      const metadata = body.metadata ?? null;
      const speaker = await speakerOf(call.scope, { settings, metadata });
      return begin(call, {
        began: 'start',
        conversationId: null,
        body: {
          stream: body.stream ?? false,
          store: body.store ?? true,
          handoffExecution: body.handoff_execution ?? 'server',
          completionArgs: body.completion_args ?? null,
        },
        request: ['start', body],
        make: { settings, metadata },
        plan: async () => ({ speaker, history: [], inputs: takeInputs(body.inputs, [], now), confirmed: null }),
      });
    },
    async append(call, id, body) {
      return begin(call, {
        began: 'append',
        conversationId: id,
        body: continued(body),
        request: ['append', id, body],
        make: null,
        async plan() {
          const row = await get(call.scope, id);
          const history = await listEntries(db, id);
          const confirmed = takeConfirmations(body.tool_confirmations ?? [], history, now);
          const said = [...history, ...confirmed.rejections];
          const inputs = [...confirmed.rejections, ...takeInputs(body.inputs, said, now)];
          return { speaker: await speakerOf(call.scope, row), history, inputs, confirmed };
        },
      });
    },
    async restart(call, id, body) {
      const row = await get(call.scope, id);
      const settings = { ...row.settings };
      const metadata = body.metadata === undefined ? row.metadata : body.metadata;
      if (body.guardrails !== undefined) settings.guardrails = body.guardrails;
      if (body.agent_version !== undefined && body.agent_version !== null) {
        if (settings.kind !== 'agent') throw badRequest('agent_version needs a conversation with an agent.');
        settings.agent_version = body.agent_version;
      }
      return begin(call, {
        began: 'restart',
        conversationId: null,
        body: continued(body),
        request: ['restart', id, body],
        make: { settings, metadata },
        async plan() {
          const entries = await listEntries(db, id);
          const at = entries.findIndex(({ entry }) => entry.id === body.from_entry_id);
          if (at < 0) throw notFound('entry', body.from_entry_id);
          const history = entries.slice(0, at + 1);
          const speaker = await speakerOf(call.scope, { settings, metadata });
          return { speaker, history, inputs: takeInputs(body.inputs, history, now), confirmed: null };
        },
      });
    },
    async list(scope, { page, page_size, metadata }) {
      const asked = { offset: page * page_size, limit: page_size, metadata: metadata ?? {} };
      return (await listConversations(db, database.kind, scope, asked)).map(wireOf);
    },
    get: async (scope, id) => wireOf(await get(scope, id)),
    async remove(scope, id) {
      const runId = await database.transaction(async (tx) => {
        const deleted = await deleteConversation(tx, scope, id);
        if (!deleted) throw notFound('conversation', id);
        const stream = streamOf(id);
        await events.trim(tx, stream, await events.head(tx, stream));
        const run = deleted.run_id === null ? undefined : await findRun(tx, deleted.run_id);
        if (!run) return undefined;
        const message = 'The conversation was deleted while it ran.';
        const data = { type: 'conversation.response.error', created_at: isoMicros(now), message, code: 404 };
        const event_to = await events.append(tx, stream, [{ type: data.type, data }]);
        const error = { status: 404, message, type: 'not_found_error', code: null };
        await endRun(tx, run.id, { state: 'failed', progress: run.progress, outcome: { error }, event_to });
        return run.id;
      });
      if (runId) runs.abort(runId);
      return undefined;
    },
    async history(scope, id) {
      await get(scope, id);
      return (await listEntries(db, id)).map(({ entry }) => entry);
    },
    async messages(scope, id) {
      await get(scope, id);
      return listMessages(db, id);
    },
    async branches(scope, id) {
      await get(scope, id);
      const rows = await listBranches(db, scope, id, BRANCHES_SHOWN);
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
    async events({ scope, signal, lastEventId }, id) {
      await get(scope, id);
      const run = await findNewestRun(db, scope, id);
      if (!run) throw notFound('run of conversation', id);
      return answering.follow(run, lastEventId === undefined ? run.event_from : resumePoint(lastEventId), signal);
    },
    prune: () => pruneRuns(ports),
    startRuns: () => runs.runner.start(),
    stopRuns: (limitMs) => runs.runner.stop(limitMs),
  };
}

function continued(body: ConversationAppendRequest | ConversationRestartRequest) {
  const { stream, store, handoff_execution, completion_args } = body;
  return { stream, store, handoffExecution: handoff_execution, completionArgs: completion_args ?? null };
}
