import { type AgentService, readSkills } from '../agents/index.ts';
import type { CompletionArgs } from '../chat/index.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import type { Database } from '../kit/db/index.ts';
import { ApiError, type Scope } from '../kit/http/index.ts';
import type { Viewer } from '../registry/index.ts';
import { conversationErrors } from './errors.ts';
import { type Confirmed, parseConfirmations } from './parse-confirmations.ts';
import type { ConversationInputs, Entry, InputEntry, StoredEntry } from './schema/entries.ts';
import type { ConversationAppendRequest, ConversationRequest, ConversationRestartRequest } from './schema/requests.ts';
import type { RunResponse, RunTask, Speaker } from './schema/run.ts';
import type { Settings } from './schema/settings.ts';
import { type ConversationRow, findConversation } from './store/conversations.ts';
import { listEntries } from './store/entries.ts';
import type { WarmConversations } from './warm-conversations.ts';

/** A start, an append or a restart. */
export type RunRequest = {
  began: RunTask['began'];
  /** Null when the run creates a conversation. */
  conversationId: string | null;
  create: { settings: Settings; metadata: Record<string, unknown> | null } | null;
  stream: boolean;
  store: boolean;
  handoffExecution: RunTask['handoffExecution'];
  completionArgs: CompletionArgs | null;
  /** Replace those of the conversation from this run on. */
  settings?: Settings;
  /** Makes the run a stored response. */
  response?: NewResponse;
  parallelToolCalls?: boolean;
  /** Must be the same when an Idempotency-Key is sent again. */
  fingerprint: unknown;
  /** Reads what the run starts from. Called again when the conversation changed meanwhile. */
  plan(): Promise<RunPlan>;
};

export type NewResponse = Omit<RunResponse, 'input_from'>;

export type RunPlan = {
  speaker: Speaker;
  history: readonly StoredEntry[];
  inputs: StoredEntry[];
  confirmed: Confirmed | null;
  /** What the conversation goes on with, unless it has to be read again before its next run. */
  conversation?: Pick<ConversationRow, 'settings' | 'metadata'>;
  /** Set when nothing was read: the claim must find this version. */
  version?: string;
};

export type PlanPorts = { database: Database; agents: Pick<AgentService, 'get'>; now: Clock; warm: WarmConversations };

const ID_CHARACTERS_MAX = 128;
const ID_PREFIXES: Record<Entry['type'], string> = {
  'message.input': 'msg_',
  'message.output': 'msg_',
  'function.call': 'fc_',
  'function.result': 'fr_',
  'tool.execution': 'tool_exec_',
  'agent.handoff': 'handoff_',
};

export async function planStart(ports: PlanPorts, scope: Scope, body: ConversationRequest): Promise<RunRequest> {
  const create = { settings: parseSettings(body), metadata: body.metadata ?? null };
  const speaker = await loadSpeaker(ports, scope, create);
  const rest = { history: [], confirmed: null, conversation: create };
  return {
    began: 'start',
    conversationId: null,
    create,
    ...optionsOf(body),
    fingerprint: ['start', body],
    plan: async () => ({ speaker, inputs: parseInputs(body.inputs, [], ports.now), ...rest }),
  };
}

export function planAppend(ports: PlanPorts, scope: Scope, id: string, body: ConversationAppendRequest): RunRequest {
  const options = optionsOf(body);
  return {
    began: 'append',
    conversationId: id,
    create: null,
    ...options,
    fingerprint: ['append', id, body],
    async plan() {
      // A run that is not stored claims nothing, so it would not notice that the conversation has changed.
      const warm = options.store ? ports.warm.take(scope, id) : undefined;
      if (warm && !body.tool_confirmations?.length) {
        const { settings, metadata, history, updated_at: version } = warm;
        const inputs = parseInputs(body.inputs, history, ports.now);
        const conversation = { settings, metadata };
        const speaker = await loadSpeaker(ports, scope, conversation);
        return { speaker, history, inputs, confirmed: null, conversation, version };
      }
      const row = await getConversation(ports, scope, id);
      // Before the history is read, which may be long.
      if (options.store && row.run_id !== null) throw conversationErrors.conversation_busy();
      const history = await listEntries(ports.database.db, id);
      const confirmed = parseConfirmations(body.tool_confirmations ?? [], history, ports.now);
      const { rejections } = confirmed;
      const inputs = [...rejections, ...parseInputs(body.inputs, [...history, ...rejections], ports.now)];
      const { settings, metadata } = row;
      const speaker = await loadSpeaker(ports, scope, row);
      // Entries that change are read again before the next run.
      const isWhole = confirmed.changed.length === 0;
      return { speaker, history, inputs, confirmed, ...(isWhole && { conversation: { settings, metadata } }) };
    },
  };
}

export async function planRestart(
  ports: PlanPorts,
  scope: Scope,
  id: string,
  body: ConversationRestartRequest,
): Promise<RunRequest> {
  const row = await getConversation(ports, scope, id);
  const settings = { ...row.settings };
  const metadata = body.metadata === undefined ? row.metadata : body.metadata;
  if (body.guardrails !== undefined) settings.guardrails = body.guardrails;
  if (body.agent_version !== undefined && body.agent_version !== null) {
    if (settings.kind !== 'agent') throw conversationErrors.agent_version_without_agent();
    settings.agent_version = body.agent_version;
  }
  return {
    began: 'restart',
    conversationId: null,
    create: { settings, metadata },
    ...optionsOf(body),
    fingerprint: ['restart', id, body],
    async plan() {
      const entries = await listEntries(ports.database.db, id);
      const at = entries.findIndex(({ entry }) => entry.id === body.from_entry_id);
      if (at < 0) throw conversationErrors.entry_not_found(body.from_entry_id);
      const history = entries.slice(0, at + 1);
      const speaker = await loadSpeaker(ports, scope, { settings, metadata });
      return { speaker, history, inputs: parseInputs(body.inputs, history, ports.now), confirmed: null };
    },
  };
}

/** A start may send null for the default, as the published schema allows. */
function optionsOf(body: ConversationRequest | ConversationAppendRequest | ConversationRestartRequest) {
  const { stream, store, handoff_execution, completion_args } = body;
  return {
    stream: stream ?? false,
    store: store ?? true,
    handoffExecution: handoff_execution ?? ('server' as const),
    completionArgs: completion_args ?? null,
  };
}

export async function getConversation(
  { database }: Pick<PlanPorts, 'database'>,
  scope: Scope,
  id: string,
): Promise<ConversationRow> {
  const row = await findConversation(database.db, scope, id);
  if (!row) throw conversationErrors.conversation_not_found(id);
  return row;
}

function parseSettings(body: ConversationRequest): Settings {
  const common = {
    name: body.name ?? null,
    description: body.description ?? null,
    guardrails: body.guardrails ?? null,
  };
  const { model, agent_id } = body;
  if (model && agent_id) throw conversationErrors.model_or_agent_required('both');
  if (agent_id) {
    const own = (['instructions', 'tools'] as const).filter((field) => body[field]?.length);
    if (own.length > 0) throw conversationErrors.agent_field_conflict(own.join(' and '));
    return { kind: 'agent', agent_id, agent_version: body.agent_version ?? null, ...common };
  }
  if (!model) throw conversationErrors.model_or_agent_required('neither');
  if (body.agent_version !== null && body.agent_version !== undefined)
    throw conversationErrors.agent_version_without_agent();
  return {
    kind: 'model',
    model,
    instructions: body.instructions ?? null,
    tools: body.tools ?? [],
    completion_args: body.completion_args ?? { tool_choice: 'auto' },
    ...common,
  };
}

/** A response: a conversation of its own, or the next turn of another one with settings of its own. */
export type ResponseRequest = {
  /** Where it goes on: a conversation, and how many of its entries come before. */
  after: { conversationId: string; entries: number } | null;
  /** Leaves the conversation alone and goes on in a copy. */
  branches: boolean;
  settings: Settings;
  metadata: Record<string, unknown> | null;
  inputs: InputEntry[];
  stream: boolean;
  store: boolean;
  parallelToolCalls: boolean;
  response: NewResponse;
};

export function planResponse(ports: Omit<PlanPorts, 'warm'>, scope: Scope, request: ResponseRequest): RunRequest {
  const { after, branches, settings, metadata, inputs, response } = request;
  const appends = after !== null && !branches;
  return {
    began: appends ? 'append' : after ? 'restart' : 'start',
    conversationId: appends ? after.conversationId : null,
    create: appends ? null : { settings, metadata },
    stream: request.stream,
    store: request.store,
    handoffExecution: 'server',
    completionArgs: null,
    parallelToolCalls: request.parallelToolCalls,
    ...(request.store && { response }),
    ...(appends && { settings }),
    fingerprint: ['response', after, settings, inputs, metadata, request.stream, response.background],
    async plan() {
      const entries = after ? await listEntries(ports.database.db, after.conversationId) : [];
      if (appends && entries.length !== after.entries) throw conversationErrors.conversation_busy();
      const history = entries.slice(0, after?.entries ?? 0);
      const speaker = await loadSpeaker(ports, scope, { settings, metadata });
      return { speaker, history, inputs: parseInputs(inputs, history, ports.now), confirmed: null };
    },
  };
}

/** The client's inputs as entries with an id and a time. A plain text is a user's message. */
function parseInputs(
  inputs: ConversationInputs | undefined,
  history: readonly StoredEntry[],
  now: Clock,
): StoredEntry[] {
  const given: InputEntry[] =
    typeof inputs === 'string'
      ? [{ object: 'entry', type: 'message.input', role: 'user', content: inputs, prefix: false }]
      : (inputs ?? []);
  const known = new Set(history.map(({ entry }) => entry.id));
  return given.map((input) => {
    const id = input.id ?? hexId(ID_PREFIXES[input.type]);
    if (id === '' || id.length > ID_CHARACTERS_MAX) throw conversationErrors.entry_id_invalid(ID_CHARACTERS_MAX);
    if (known.has(id)) throw conversationErrors.entry_id_taken(id);
    known.add(id);
    const entry: Entry = { ...input, id, created_at: input.created_at ?? isoMicros(now) };
    return { entry: { ...entry, completed_at: entry.completed_at ?? null }, memo: null };
  });
}

export async function loadSpeaker(
  { agents }: Pick<PlanPorts, 'agents'>,
  viewer: Viewer,
  { settings, metadata }: Pick<ConversationRow, 'settings' | 'metadata'>,
): Promise<Speaker> {
  const variables = metadata?.variables;
  if (settings.kind === 'agent') {
    const agent = await loadAgent(agents, viewer, settings.agent_id, settings.agent_version);
    return {
      ...agent,
      guardrails: settings.guardrails ?? agent.guardrails,
      variables: variables ?? agent.variables,
    };
  }
  const { model, instructions, tools, completion_args: completionArgs, guardrails } = settings;
  return { agent: null, model, instructions, tools, completionArgs, guardrails, variables, handoffs: [], skills: [] };
}

export async function loadAgent(
  agents: PlanPorts['agents'],
  viewer: Viewer,
  id: string,
  version: string | number | null,
): Promise<Speaker> {
  const agent = await agents.get(viewer, id, version);
  const handoffs = await Promise.all((agent.handoffs ?? []).map((handoff) => loadHandoff(agents, viewer, handoff)));
  return {
    agent: { id: agent.id, name: agent.name, version: agent.version },
    model: agent.model,
    instructions: agent.instructions ?? null,
    tools: agent.tools ?? [],
    completionArgs: agent.completion_args ?? { tool_choice: 'auto' },
    guardrails: agent.guardrails ?? null,
    variables: agent.metadata?.variables,
    handoffs: handoffs.flat(),
    skills: readSkills(agent.metadata),
  };
}

/** Empty when the agent was deleted. */
async function loadHandoff(agents: PlanPorts['agents'], viewer: Viewer, id: string): Promise<Speaker['handoffs']> {
  try {
    const { name, description } = await agents.get(viewer, id);
    return [{ id, name, description: description ?? null }];
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}
