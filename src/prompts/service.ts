import type { AuditService } from '../audit/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Database } from '../kit/db/index.ts';
import type { PageTokens, RenderedReply, Scope } from '../kit/http/index.ts';
import {
  createRegistry,
  parseListQuery,
  replyWithHistory,
  replyWithObject,
  type Snapshot,
  showAliasMoves,
  showObject,
  showPage,
  showVersion,
  toSharing,
  toVersionChanges,
  type UpdateVersionRequest,
  type WithHeaders,
} from '../registry/index.ts';
import { promptErrors } from './errors.ts';
import { type FilledPrompt, fillPrompt } from './fill-prompt.ts';
import { variableHeaders } from './find-variables.ts';
import type { Reference } from './parse-reference.ts';
import type {
  CreatePromptRequest,
  CreatePromptVersionRequest,
  CreatePromptVersionResponse,
  ListPromptAliasMovesResponse,
  ListPromptsQuery,
  ListPromptsResponse,
  Prompt,
  PromptDefinition,
  PromptModel,
  PromptQuery,
  UpdatePromptRequest,
} from './schema.ts';
import { deleteModel, findModel, upsertModel } from './store.ts';

export type PromptService = {
  list(scope: Scope, query: ListPromptsQuery): Promise<ListPromptsResponse>;
  create(scope: Scope, request: CreatePromptRequest): Promise<WithHeaders<Prompt>>;
  get(scope: Scope, idOrName: string, query: PromptQuery): RenderedReply | Promise<RenderedReply>;
  /** For other rooms: the prompt itself, not its rendered JSON. */
  read(scope: Scope, idOrName: string, selector?: Omit<Reference, 'idOrName'>): Promise<Prompt>;
  update(scope: Scope, idOrName: string, request: UpdatePromptRequest, ifMatch?: string): Promise<RenderedReply>;
  remove(scope: Scope, idOrName: string, ifMatch?: string): Promise<Record<string, never>>;
  listVersions(scope: Scope, idOrName: string): Promise<RenderedReply>;
  createVersion(
    scope: Scope,
    idOrName: string,
    request: CreatePromptVersionRequest,
    ifMatch?: string,
  ): Promise<WithHeaders<CreatePromptVersionResponse>>;
  updateVersion(
    scope: Scope,
    idOrName: string,
    version: number,
    request: UpdateVersionRequest,
    ifMatch?: string,
  ): Promise<RenderedReply>;
  listAliasMoves(scope: Scope, idOrName: string): Promise<ListPromptAliasMovesResponse>;
  getModel(scope: Scope, idOrName: string): Promise<PromptModel>;
  setModel(scope: Scope, idOrName: string, request: PromptModel): Promise<PromptModel>;
  /** The text of a prompt with its placeholders filled, and the model to complete it. */
  fill(scope: Scope, reference: Reference, variables: unknown): Promise<FilledPrompt>;
};

export function createPromptService(ports: {
  database: Database;
  audit: AuditService;
  tokens: PageTokens;
  now: Clock;
}): PromptService {
  const { database } = ports;
  const prompts = createRegistry<PromptDefinition, Prompt>({
    ...ports,
    kind: 'prompt',
    errors: {
      not_found: promptErrors.prompt_not_found,
      version_not_found: promptErrors.prompt_version_not_found,
      changed: promptErrors.prompt_changed,
      name_taken: promptErrors.prompt_name_taken,
      owner_only: promptErrors.prompt_owner_only,
    },
    auditAs: {
      target: 'PROMPT',
      // The contract has no event for sharing a prompt: the details of the update name the new scope.
      events: {
        create: 'prompt.create',
        version: 'prompt.version.create',
        update: 'prompt.update',
        share: 'prompt.update',
        unshare: 'prompt.update',
        delete: 'prompt.delete',
      },
    },
    render: toPrompt,
  });

  return {
    async list(scope, query) {
      const { items, nextPageToken } = await prompts.list(scope, parseListQuery(query));
      return showPage(items, nextPageToken, query.fields);
    },
    async create(scope, { name, definition, title, description, notes, sharingScope, aliases }) {
      const { value, etag } = await prompts.create(scope, {
        name,
        definition: toDefinition(definition),
        title: title ?? undefined,
        description: description ?? undefined,
        notes: notes ?? undefined,
        sharing: toSharing(sharingScope),
        aliases,
      });
      return { value, headers: { etag, ...variableHeaders(definition) } };
    },
    get(scope, idOrName, query) {
      const cached = prompts.readCached(scope, idOrName, query);
      if (cached) return replyWithObject(cached, query.fields);
      return prompts.read(scope, idOrName, query).then((prompt) => replyWithObject(prompt, query.fields));
    },
    read: async (scope, idOrName, selector = {}) => (await prompts.read(scope, idOrName, selector)).value,
    async update(scope, idOrName, { title, description, sharingScope }, ifMatch) {
      const changes = { title: textOf(title), description: textOf(description), sharing: toSharing(sharingScope) };
      return replyWithObject(await prompts.update(scope, idOrName, changes, { ifMatch }));
    },
    async remove(scope, idOrName, ifMatch) {
      await prompts.remove(scope, idOrName, { ifMatch });
      return {};
    },
    async listVersions(scope, idOrName) {
      return replyWithHistory(await prompts.history(scope, idOrName), (version) =>
        showVersion(version, version.definition),
      );
    },
    async createVersion(scope, idOrName, { definition, notes, aliases }, ifMatch) {
      const input = { definition: toDefinition(definition), notes: notes ?? undefined, aliases };
      const { version, deduplicated, etag } = await prompts.createVersion(scope, idOrName, input, { ifMatch });
      return { value: { version, deduplicated }, headers: { etag, ...variableHeaders(definition) } };
    },
    async updateVersion(scope, idOrName, version, request, ifMatch) {
      const changes = toVersionChanges(request);
      return replyWithObject(await prompts.updateVersion(scope, idOrName, version, changes, { ifMatch }));
    },
    listAliasMoves: async (scope, idOrName) => showAliasMoves(await prompts.aliasMoves(scope, idOrName)),
    async getModel(scope, idOrName) {
      const { value } = await prompts.read(scope, idOrName, {});
      return { model: (await findModel(database.db, scope.workspace_id, value.id ?? '')) ?? null };
    },
    async setModel(scope, idOrName, { model }) {
      await prompts.updateAlongside(scope, idOrName, async (tx, id) => {
        if (model === null) await deleteModel(tx, id);
        else await upsertModel(tx, id, model);
        return { model: model ?? 'none' };
      });
      return { model };
    },
    async fill(scope, { idOrName, ...selector }, variables) {
      if (!scope.permissions.has('prompts:read')) throw promptErrors.prompt_read_forbidden();
      const { value } = await prompts.read(scope, idOrName, selector);
      const model = await findModel(database.db, scope.workspace_id, value.id ?? '');
      return fillPrompt(value, model, variables);
    },
  };
}

// Leaving out `variables` and sending an empty list are the same definition.
function toDefinition({ content, variables = [] }: PromptDefinition): PromptDefinition {
  return { content, variables };
}

/** In an update, null clears a text. */
function textOf(text: string | null | undefined): string | undefined {
  return text === null ? '' : text;
}

function toPrompt(snapshot: Snapshot<PromptDefinition | undefined>): Prompt {
  const { definition, title, description } = snapshot;
  return {
    ...showObject(snapshot, definition),
    ...(title ? { title } : {}),
    ...(description ? { description } : {}),
  };
}
