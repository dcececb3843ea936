import type { AuditService } from '../audit/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Database } from '../kit/db/index.ts';
import { forbidden, type PageTokens, type RenderedReply, type Scope } from '../kit/http/index.ts';
import {
  answerHistory,
  answerObject,
  createVersions,
  orderOf,
  pickFields,
  type Snapshot,
  showAliasMoves,
  showsField,
  toSharing,
  type VersionSnapshot,
} from '../kit/versions/index.ts';
import { type FilledPrompt, fillPrompt } from './fill-prompt.ts';
import { variableHeaders } from './find-variables.ts';
import type { Reference } from './parse-reference.ts';
import { recordIn } from './record-change.ts';
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
  PromptVersion,
  UpdatePromptRequest,
  UpdatePromptVersionRequest,
} from './schema.ts';
import { deleteModel, findModel, upsertModel } from './store.ts';

/** An answer with headers of its own. */
export type WithHeaders<T> = { value: T; headers: Record<string, string> };

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
    request: UpdatePromptVersionRequest,
    ifMatch?: string,
  ): Promise<RenderedReply>;
  listAliasMoves(scope: Scope, idOrName: string): Promise<ListPromptAliasMovesResponse>;
  getModel(scope: Scope, idOrName: string): Promise<PromptModel>;
  setModel(scope: Scope, idOrName: string, request: PromptModel): Promise<PromptModel>;
  /** The text of a prompt with values in the place of its placeholders, and the model that shall answer to it. */
  fill(scope: Scope, reference: Reference, variables: unknown): Promise<FilledPrompt>;
};

export function createPromptService(ports: {
  database: Database;
  audit: AuditService;
  tokens: PageTokens;
  now: Clock;
}): PromptService {
  const { database, audit, tokens, now } = ports;
  const prompts = createVersions<Scope, PromptDefinition, Prompt>({
    database,
    now,
    tokens,
    kind: 'prompt',
    noun: 'prompt',
    render: toPrompt,
    record: recordIn(audit),
  });

  return {
    async list(scope, query) {
      const { fields } = query;
      const { items, nextPageToken } = await prompts.list(scope, {
        ...query,
        ...orderOf(query),
        withDefinition: showsField(fields, 'definition'),
      });
      const data = items.map((prompt) => pickFields(prompt, fields));
      return { data, ...(nextPageToken === undefined ? {} : { nextPageToken }) };
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
      const known = prompts.recall(scope, idOrName, query);
      if (known) return answerObject(known, query.fields);
      return prompts.read(scope, idOrName, query).then((prompt) => answerObject(prompt, query.fields));
    },
    read: async (scope, idOrName, selector = {}) => (await prompts.read(scope, idOrName, selector)).value,
    async update(scope, idOrName, { title, description, sharingScope }, ifMatch) {
      const changes = { title: textOf(title), description: textOf(description), sharing: toSharing(sharingScope) };
      return answerObject(await prompts.update(scope, idOrName, changes, { ifMatch }));
    },
    async remove(scope, idOrName, ifMatch) {
      await prompts.remove(scope, idOrName, { ifMatch });
      return {};
    },
    async listVersions(scope, idOrName) {
      return answerHistory(await prompts.history(scope, idOrName), toPromptVersion);
    },
    async createVersion(scope, idOrName, { definition, notes, aliases }, ifMatch) {
      const input = { definition: toDefinition(definition), notes: notes ?? undefined, aliases };
      const { version, deduplicated, etag } = await prompts.createVersion(scope, idOrName, input, { ifMatch });
      return { value: { version, deduplicated }, headers: { etag, ...variableHeaders(definition) } };
    },
    async updateVersion(scope, idOrName, version, { notes, aliases }, ifMatch) {
      const changes = { notes: textOf(notes), aliases: aliases && (aliases.values ?? []) };
      return answerObject(await prompts.updateVersion(scope, idOrName, version, changes, { ifMatch }));
    },
    listAliasMoves: async (scope, idOrName) => showAliasMoves(await prompts.aliasMoves(scope, idOrName)),
    async getModel(scope, idOrName) {
      const { value } = await prompts.read(scope, idOrName, {});
      return { model: (await findModel(database.db, scope.workspace_id, value.id ?? '')) ?? null };
    },
    async setModel(scope, idOrName, { model }) {
      await prompts.changeBeside(scope, idOrName, async (tx, id) => {
        if (model === null) await deleteModel(tx, id);
        else await upsertModel(tx, id, model);
        return { model: model ?? 'none' };
      });
      return { model };
    },
    async fill(scope, { idOrName, ...selector }, variables) {
      if (!scope.permissions.has('prompts:read')) throw forbidden('This key may not read prompts.');
      const { value } = await prompts.read(scope, idOrName, selector);
      const model = await findModel(database.db, scope.workspace_id, value.id ?? '');
      return fillPrompt(value, model, variables);
    },
  };
}

// No variables and an empty list of them are one definition, not two.
function toDefinition({ content, variables = [] }: PromptDefinition): PromptDefinition {
  return { content, variables };
}

/** In a change, null clears a text and nothing leaves it. */
function textOf(text: string | null | undefined): string | undefined {
  return text === null ? '' : text;
}

function toPrompt(snapshot: Snapshot<PromptDefinition | undefined>): Prompt {
  const { id, name, definition, version, notes, aliases, sharing, title, description } = snapshot;
  return {
    id,
    name,
    ...(definition ? { definition } : {}),
    version,
    ...(notes ? { notes } : {}),
    aliases,
    sharingScope: sharing,
    createdAt: snapshot.created_at,
    updatedAt: snapshot.updated_at,
    latestVersion: snapshot.latest_version,
    ...(title ? { title } : {}),
    ...(description ? { description } : {}),
  };
}

function toPromptVersion({
  version,
  definition,
  notes,
  aliases,
  created_at,
}: VersionSnapshot<PromptDefinition>): PromptVersion {
  return { version, definition, ...(notes ? { notes } : {}), aliases, createdAt: created_at };
}
