import { mapGroups, type RenderedReply, type Scope } from '../../kit/http/index.ts';
import { parseListQuery } from '../parse-list-query.ts';
import { pickFields } from '../pick-fields.ts';
import type { Rendered } from '../rendered-cache.ts';
import {
  type CreatedVersion,
  type CreateObject,
  type CreateVersion,
  type ListAliasMoves,
  type ListParameters,
  type ObjectPage,
  type SelectorParameters,
  toRelation,
  toSharing,
  toText,
  type UpdateObject,
  type UpdateVersionRequest,
} from '../schema.ts';
import { showAliasMoves, showVersion } from '../show-object.ts';
import { replyWithHistory, type WithHeaders } from '../write-reply.ts';
import type { NewVersion } from './change.ts';
import type { FoundObject } from './list.ts';
import type { Registry } from './registry-service.ts';

/** What the API offers for the objects of a room: `G` is a definition as clients send it, `W` an object as they get it. */
export type ObjectService<G, W, E = unknown> = {
  list(scope: Scope, query: ListParameters): Promise<ObjectPage<W>>;
  search(scope: Scope, text: string, limit: number): Promise<FoundObject[]>;
  create(scope: Scope, request: CreateObject<G>): Promise<WithHeaders<W> & E>;
  get(scope: Scope, idOrName: string, query: SelectorParameters): Promise<RenderedReply>;
  update(scope: Scope, idOrName: string, request: UpdateObject, ifMatch?: string): Promise<RenderedReply>;
  remove(scope: Scope, idOrName: string, ifMatch?: string): Promise<Record<string, never>>;
  listVersions(scope: Scope, idOrName: string): Promise<RenderedReply>;
  createVersion(
    scope: Scope,
    idOrName: string,
    request: CreateVersion<G>,
    ifMatch?: string,
  ): Promise<WithHeaders<CreatedVersion> & E>;
  updateVersion(
    scope: Scope,
    idOrName: string,
    version: number,
    request: UpdateVersionRequest,
    ifMatch?: string,
  ): Promise<RenderedReply>;
  listAliasMoves(scope: Scope, idOrName: string): Promise<ListAliasMoves>;
};

/** `D` is a definition as it is stored, `R` an object as the registry renders it. */
export function createObjectService<G, D, R extends object, W extends object, E>(room: {
  registry: Registry<D, R>;
  /** What to store of a definition, the headers of the response, and what only callers in this process get. */
  prepare(
    scope: Scope,
    definition: G,
  ): Promise<{ input: Omit<NewVersion<D>, 'notes' | 'aliases'>; headers: Record<string, string>; extra: E }>;
  showListed(object: R): W;
  showCreated(object: R): W | Promise<W>;
  /** The definition as the list of versions shows it. */
  showDefinition(definition: D): unknown;
  reply(object: Rendered<R>, fields?: readonly string[]): RenderedReply;
}): ObjectService<G, W, E> {
  const { registry, prepare, reply } = room;

  return {
    async list(scope, query) {
      const { groups, nextPageToken } = await registry.list(scope, parseListQuery(query));
      return { groups: mapGroups(groups, (item) => pickFields(room.showListed(item), query.fields)), nextPageToken };
    },
    search: registry.search,
    async create(scope, { name, definition, title, description, notes, sharingScope, workspaceRelation, aliases }) {
      const { input, headers, extra } = await prepare(scope, definition);
      const { value, etag } = await registry.create(scope, {
        ...input,
        name,
        title: title ?? undefined,
        description: description ?? undefined,
        notes: notes ?? undefined,
        sharing: toSharing(sharingScope),
        relation: toRelation(workspaceRelation),
        aliases,
      });
      return { value: await room.showCreated(value), headers: { etag, ...headers }, ...extra };
    },
    async get(scope, idOrName, query) {
      const object = registry.readCached(scope, idOrName, query) ?? (await registry.read(scope, idOrName, query));
      return reply(object, query.fields);
    },
    async update(scope, idOrName, { title, description, sharingScope, workspaceRelation }, ifMatch) {
      const changes = {
        title: toText(title),
        description: toText(description),
        sharing: toSharing(sharingScope),
        relation: toRelation(workspaceRelation),
      };
      return reply(await registry.update(scope, idOrName, changes, { ifMatch }));
    },
    async remove(scope, idOrName, ifMatch) {
      await registry.remove(scope, idOrName, { ifMatch });
      return {};
    },
    async listVersions(scope, idOrName) {
      return replyWithHistory(await registry.history(scope, idOrName), (version) =>
        showVersion(version, room.showDefinition(version.definition)),
      );
    },
    async createVersion(scope, idOrName, { definition, notes, aliases }, ifMatch) {
      const { input, headers, extra } = await prepare(scope, definition);
      const given = { ...input, notes: notes ?? undefined, aliases };
      const { version, deduplicated, etag } = await registry.createVersion(scope, idOrName, given, { ifMatch });
      return { value: { version, deduplicated }, headers: { etag, ...headers }, ...extra };
    },
    async updateVersion(scope, idOrName, version, { notes, aliases }, ifMatch) {
      const changes = { notes: toText(notes), aliases: aliases && (aliases.values ?? []) };
      return reply(await registry.updateVersion(scope, idOrName, version, changes, { ifMatch }));
    },
    listAliasMoves: async (scope, idOrName) => showAliasMoves(await registry.aliasMoves(scope, idOrName)),
  };
}
