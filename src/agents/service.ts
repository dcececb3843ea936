import type { AuditService } from '../audit/index.ts';
import type { ChatCompletionRequest, ChatCompletionResponse, ChatService } from '../chat/index.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import { type Database, readGroups, takePage } from '../kit/db/index.ts';
import { ApiError, type PageTokens, type RequestContext, type Scope } from '../kit/http/index.ts';
import { createRegistry, etagOf, LATEST, type Snapshot, type Viewer } from '../registry/index.ts';
import { createDefinition, updateDefinition } from './definitions.ts';
import { agentErrors } from './errors.ts';
import { type AgentUse, findUsers, type UsedThing } from './find-users.ts';
import type {
  Agent,
  AgentAliasResponse,
  AgentDefinition,
  AgentFilters,
  AgentPagesQuery,
  AgentsCompletionRequest,
  AgentsQuery,
  CreateAgentRequest,
  UpdateAgentRequest,
  VersionsQuery,
} from './schema.ts';
import {
  type AgentRow,
  findAgent,
  findAgents,
  insertAgent,
  listAgents,
  type Position,
  searchAgents,
  updateCurrent,
} from './store.ts';
import { toCompletion } from './to-completion.ts';

/** A number, an alias, or nothing for the current version. */
export type VersionChoice = string | number | null | undefined;

type Call = Pick<RequestContext, 'scope' | 'requestId' | 'signal' | 'setHeader'>;

export type AgentGroups = AsyncGenerator<Agent[]>;

export type AgentService = {
  create(scope: Scope, request: CreateAgentRequest): Promise<Agent>;
  /** In groups, however large the agents are. */
  list(scope: Scope, query: AgentsQuery): Promise<AgentGroups>;
  listPages(scope: Scope, query: AgentPagesQuery): Promise<{ groups: AgentGroups; next_page_token: string | null }>;
  /** The agents that refer to a skill or a model, however many there are. */
  findUsing(scope: Scope, used: UsedThing): Promise<AgentUse[]>;
  /** The newest ones whose name, description or id has the text. */
  search(scope: Viewer, text: string, limit: number): ReturnType<typeof searchAgents>;
  /** The names of agents of the workspace; ids that name none are left out. */
  namesOf(scope: Viewer, ids: readonly string[]): Promise<{ id: string; name: string }[]>;
  get(scope: Viewer, id: string, version?: VersionChoice): Promise<Agent>;
  update(scope: Scope, id: string, request: UpdateAgentRequest): Promise<Agent>;
  remove(scope: Scope, id: string): Promise<undefined>;
  switchVersion(scope: Scope, id: string, version: number): Promise<Agent>;
  listVersions(scope: Scope, id: string, query: VersionsQuery): Promise<AgentGroups>;
  setAlias(scope: Scope, id: string, alias: string, version: number): Promise<AgentAliasResponse>;
  listAliases(scope: Scope, id: string): Promise<AgentAliasResponse[]>;
  removeAlias(scope: Scope, id: string, alias: string): Promise<undefined>;
  /** A chat completion whose model is an agent's id, as one with the agent's model, instructions, tools and settings. */
  applyTo(call: Call, body: ChatCompletionRequest): Promise<ChatCompletionRequest>;
  complete(call: Call, body: AgentsCompletionRequest): Promise<ChatCompletionResponse>;
  stream(call: Call, body: AgentsCompletionRequest): ReturnType<ChatService['stream']>;
};

const UPDATES_MAX = 20;
/** The public API counts versions of agents from 0, the registry from 1. */
const toRegistry = (version: number): number => version + 1;
const fromRegistry = (version: number): number => version - 1;
/** An agent lists the numbers of all its versions. */
const VERSION_NUMBER_BYTES = 6;

export function createAgentService(ports: {
  database: Database;
  audit: AuditService;
  tokens: PageTokens;
  chat: Pick<ChatService, 'complete' | 'stream' | 'checkModel'>;
  now: Clock;
  /** How many agents one query of `findUsing` reads. */
  usersPageSize?: number;
}): AgentService {
  const { database, tokens, chat, now, usersPageSize = 1000 } = ports;
  const { db } = database;
  const registry = createRegistry<AgentDefinition, Snapshot<AgentDefinition | undefined>>({
    ...ports,
    kind: 'agent',
    errors: {
      not_found: agentErrors.agent_not_found,
      version_not_found: agentErrors.agent_version_not_found,
      changed: agentErrors.agent_changed,
    },
    auditAs: {
      target: 'AGENT',
      isNameId: true,
      events: {
        create: 'agent.create',
        version: 'agent.update',
        update: 'agent.update',
        share: 'agent.update',
        unshare: 'agent.update',
        delete: 'agent.delete',
      },
    },
    render: (snapshot) => snapshot,
  });

  async function rowOf({ workspace_id }: Viewer, id: string): Promise<AgentRow> {
    const row = await findAgent(db, workspace_id, id);
    if (!row) throw agentErrors.agent_not_found(id);
    return row;
  }

  async function findAt(scope: Viewer, row: AgentRow, version: VersionChoice): Promise<Snapshot<AgentDefinition>> {
    if (version === undefined || version === null)
      return registry.find(scope, row.object_id, { version: toRegistry(row.current_version) });
    const number = typeof version === 'number' ? version : /^\d+$/.test(version) ? Number(version) : undefined;
    if (number === undefined) return registry.find(scope, row.object_id, { alias: String(version) });
    if (number >= 2_147_483_647) throw agentErrors.agent_version_not_found(`${row.id} (version ${version})`);
    return registry.find(scope, row.object_id, { version: toRegistry(number) });
  }

  async function show(scope: Viewer, row: AgentRow, version?: VersionChoice): Promise<Agent> {
    return toAgent(row, await findAt(scope, row, version));
  }

  /** What a page may show, with its size. */
  async function find(scope: Scope, filters: AgentFilters, page: Parameters<typeof findAgents>[3]) {
    const found = await findAgents(database, scope.workspace_id, filters, page);
    const { sized, read } = await registry.readMany(
      found.map(({ id, object_id, current_version, created_at, bytes }) => ({
        agent: { id, created_at, bytes: bytes + current_version * VERSION_NUMBER_BYTES },
        id: object_id,
        version: toRegistry(current_version),
      })),
    );
    return { read, found: sized.map((entry) => ({ ...entry, bytes: entry.bytes + entry.agent.bytes })) };
  }

  type Found = Awaited<ReturnType<typeof find>>;

  function showFound(scope: Scope, { found, read }: Found): AgentGroups {
    return readGroups(found, async (group) => {
      const rows = await listAgents(
        db,
        scope.workspace_id,
        group.map(({ agent }) => agent.id),
      );
      const byObject = new Map(rows.map((row) => [row.object_id, row]));
      return (await read(group)).flatMap((snapshot) => {
        const row = byObject.get(snapshot.id);
        return row ? [toAgent(row, snapshot)] : [];
      });
    });
  }

  async function* rowsOf(scope: Scope): AsyncGenerator<AgentRow[]> {
    for (let after: Position | undefined; ; ) {
      const found = await findAgents(database, scope.workspace_id, {}, { limit: usersPageSize, after });
      yield* readGroups(found, (group) =>
        listAgents(
          db,
          scope.workspace_id,
          group.map(({ id }) => id),
        ),
      );
      after = found.at(-1);
      if (!after) return;
    }
  }

  async function checkHandoffs(scope: Scope, handoffs: readonly string[] | null): Promise<void> {
    for (const id of handoffs ?? [])
      if (!(await findAgent(db, scope.workspace_id, id))) throw agentErrors.agent_handoff_unknown(id);
  }

  async function asCompletion(
    call: Call,
    { agent_id, ...body }: AgentsCompletionRequest,
  ): Promise<ChatCompletionRequest> {
    const row = await rowOf(call.scope, agent_id);
    const { definition, version } = await findAt(call.scope, row, undefined);
    call.setHeader('tramontane-agent-version', `${row.id}#${fromRegistry(version)}`);
    return toCompletion(definition, body);
  }

  return {
    async create(scope, request) {
      const definition = createDefinition(request);
      await chat.checkModel(scope, definition.model);
      await checkHandoffs(scope, definition.handoffs);
      const id = hexId('ag_');
      const created_at = isoMicros(now);
      const created = await registry.create(scope, {
        name: id,
        definition,
        sharing: 'workspace',
        alongside: (tx, object_id) =>
          insertAgent(tx, {
            id,
            object_id,
            workspace_id: scope.workspace_id,
            current_version: 0,
            deployment_chat: false,
            source: 'api',
            ...searchable(definition),
            created_at,
          }),
      });
      const row = await rowOf(scope, id);
      return toAgent(row, { ...created.value, definition });
    },
    list: async (scope, { page, page_size, ...filters }) =>
      showFound(scope, await find(scope, filters, { limit: page_size, offset: page * page_size })),
    async listPages(scope, { page_size, page_token, ...filters }) {
      const question = ['agents', scope.workspace_id, JSON.stringify(filters)];
      const after = page_token === undefined ? undefined : (tokens.read(question, page_token) as Position);
      const { found, read } = await find(scope, filters, { limit: page_size + 1, after });
      const page = takePage(found.slice(0, page_size));
      const last = page.at(-1)?.agent;
      const next_page_token =
        found.length > page.length && last
          ? tokens.write(question, { created_at: last.created_at, id: last.id })
          : null;
      return { groups: showFound(scope, { found: page, read }), next_page_token };
    },
    findUsing: (scope, used) =>
      findUsers(
        {
          rows: rowsOf(scope),
          readModel: async (row) => (await findAt(scope, row, undefined)).definition.model,
        },
        used,
      ),
    search: ({ workspace_id }, text, limit) => searchAgents(db, workspace_id, text, limit),
    namesOf: async ({ workspace_id }, ids) =>
      ids.length === 0 ? [] : (await listAgents(db, workspace_id, ids)).map(({ id, name }) => ({ id, name })),
    get: async (scope, id, version) => show(scope, await rowOf(scope, id), version),
    async update(scope, id, request) {
      for (let tries = 1; ; tries++) {
        const row = await rowOf(scope, id);
        const current = await findAt(scope, row, undefined);
        const definition = updateDefinition(current.definition, request);
        // The rest of an agent can be changed when its model is no longer served.
        if (definition.model !== current.definition.model) await chat.checkModel(scope, definition.model);
        await checkHandoffs(scope, request.handoffs ?? null);
        try {
          await registry.createVersion(
            scope,
            row.object_id,
            {
              definition,
              alongside: async (tx) => {
                const changes = {
                  current_version: fromRegistry(current.latest_version + 1),
                  ...(typeof request.deployment_chat === 'boolean' && { deployment_chat: request.deployment_chat }),
                  ...searchable(definition),
                };
                // The row was read before the version, so an update in between is not in the entity tag.
                if (!(await updateCurrent(tx, scope.workspace_id, id, changes, row.current_version)))
                  throw agentErrors.agent_changed();
              },
            },
            // Otherwise one of two concurrent updates would undo the other.
            { ifMatch: etagOf(current) },
          );
          return await show(scope, await rowOf(scope, id));
        } catch (error) {
          const isRetried = error instanceof ApiError && error.code === agentErrors.agent_changed.code;
          if (!isRetried || tries >= UPDATES_MAX) throw error;
        }
      }
    },
    async remove(scope, id) {
      await registry.remove(scope, (await rowOf(scope, id)).object_id);
      return undefined;
    },
    async switchVersion(scope, id, version) {
      const row = await rowOf(scope, id);
      const { definition } = await findAt(scope, row, version);
      await registry.updateAlongside(scope, row.object_id, async (tx) => {
        await updateCurrent(tx, scope.workspace_id, id, { current_version: version, ...searchable(definition) });
        return { current_version: String(version) };
      });
      return show(scope, await rowOf(scope, id));
    },
    async listVersions(scope, id, { page, page_size }) {
      const row = await rowOf(scope, id);
      const { latest_version } = await findAt(scope, row, undefined);
      const newest = fromRegistry(latest_version) - page * page_size;
      const numbers = Array.from(
        { length: Math.max(0, Math.min(page_size, newest + 1)) },
        (_, index) => newest - index,
      );
      const entries = numbers.map((number) => ({ id: row.object_id, version: toRegistry(number) }));
      const { sized, read } = await registry.readMany(entries);
      return readGroups(sized, async (group) => (await read(group)).map((snapshot) => toAgent(row, snapshot)));
    },
    async setAlias(scope, id, alias, version) {
      if (alias === LATEST) throw agentErrors.agent_alias_reserved();
      const row = await rowOf(scope, id);
      const { aliases } = await findAt(scope, row, version);
      await registry.updateVersion(scope, row.object_id, toRegistry(version), { aliases: [...aliases, alias] });
      const set = currentAliases(await registry.aliasMoves(scope, row.object_id)).find((one) => one.alias === alias);
      if (!set) throw agentErrors.agent_alias_not_found(alias);
      return set;
    },
    async listAliases(scope, id) {
      return currentAliases(await registry.aliasMoves(scope, (await rowOf(scope, id)).object_id));
    },
    async removeAlias(scope, id, alias) {
      const row = await rowOf(scope, id);
      const { version, aliases } = await findAt(scope, row, alias);
      await registry.updateVersion(scope, row.object_id, version, { aliases: aliases.filter((one) => one !== alias) });
      return undefined;
    },
    async applyTo(call, { model, temperature, top_p, safe_prompt: _, logitBias, anyOrder, ...body }) {
      const completion = await asCompletion(call, { ...body, agent_id: model });
      if (typeof temperature === 'number') completion.temperature = temperature;
      if (typeof top_p === 'number') completion.top_p = top_p;
      return { ...completion, ...(logitBias && { logitBias }), ...(anyOrder && { anyOrder }) };
    },
    complete: async (call, body) => chat.complete(call, await asCompletion(call, body)),
    stream: async (call, body) => chat.stream(call, await asCompletion(call, body)),
  };
}

type Move = { alias: string; to_version: number | null; moved_at: string };

/** Replays the moves, which come newest first. An alias that was removed and set again has a new `created_at`. */
function currentAliases(moves: readonly Move[]): AgentAliasResponse[] {
  const current = new Map<string, AgentAliasResponse>();
  for (const { alias, to_version, moved_at } of [...moves].reverse()) {
    const created_at = current.get(alias)?.created_at ?? moved_at;
    if (to_version === null) current.delete(alias);
    else current.set(alias, { alias, version: fromRegistry(to_version), created_at, updated_at: moved_at });
  }
  return [...current.values()].sort((a, b) => (a.alias < b.alias ? -1 : 1));
}

function searchable({ name, description, metadata }: AgentDefinition) {
  return { name, description: description ?? '', metadata };
}

function toAgent(row: AgentRow, snapshot: Snapshot<AgentDefinition>): Agent {
  const { change_id: _change, ...definition } = snapshot.definition;
  return {
    object: 'agent',
    id: row.id,
    ...definition,
    version: fromRegistry(snapshot.version),
    versions: Array.from({ length: snapshot.latest_version }, (_, index) => index),
    created_at: snapshot.created_at,
    updated_at: snapshot.updated_at,
    deployment_chat: row.deployment_chat,
    source: row.source,
  };
}
