import { z } from 'zod';
import { queryInt32, queryList } from '../kit/http/index.ts';

const ALIASES_MAX = 100;
const PAGE_SIZE_DEFAULT = 20;
const PAGE_SIZE_MAX = 100;

/** The reserved alias that always reads the newest version. */
export const LATEST = 'latest';

/** The caller of a read; a scope is one. */
export type Viewer = { workspace_id: string; user_id: string };

export type Sharing = 'private' | 'workspace';

/** Which version of an object to read; the newest if both are left out. */
export type Selector = { version?: number | undefined; alias?: string | undefined };

export type SortField = 'created_at' | 'updated_at' | 'name' | 'title';

export type ListQuery = {
  pageSize: number;
  pageToken?: string | undefined;
  alias?: string | undefined;
  field: SortField;
  direction: 'asc' | 'desc';
  /** False if the response shows no definitions, which are then not read. */
  withDefinition: boolean;
};

/** An object at one of its versions. */
export type Snapshot<D> = {
  id: string;
  owner_id: string;
  name: string;
  title: string;
  description: string;
  sharing: Sharing;
  workspace_relation: 'reader' | null;
  latest_version: number;
  revision: number;
  created_at: string;
  updated_at: string;
  version: number;
  definition: D;
  digest: string;
  notes: string;
  aliases: string[];
  version_created_at: string;
  author_id: string;
};

/** One version, as a list of versions shows it. */
export type VersionSnapshot<D> = Pick<
  Snapshot<D>,
  'version' | 'definition' | 'notes' | 'aliases' | 'created_at' | 'author_id'
>;

/** All versions, newest first, in pages; and the entity tag of the object when it was read. */
export type History<D> = { etag: string; pages: AsyncGenerator<VersionSnapshot<D>[]> };

/** A page of a list, in groups of its objects. */
export type ObjectPage<W> = { groups: AsyncGenerator<Partial<W>[]>; nextPageToken: string | undefined };

/** Names one state of an object at one version: two different responses never have the same tag. */
export function etagOf({ id, revision, version }: { id: string; revision: number; version: number }): string {
  return `"${id}.${revision}.${version}"`;
}

const RegistrySharingScope = z
  .enum(['sharing_scope_unspecified', 'private', 'workspace'])
  .meta({ id: 'RegistrySharingScope' });
type RegistrySharingScope = z.infer<typeof RegistrySharingScope>;

/** What members of the workspace may do with a shared object: read it, or change it too (the default). */
const ShareRelation = z.enum(['share_relation_unspecified', 'reader', 'writer']).meta({ id: 'ShareRelation' });

/** Undefined if the request does not set it. */
export function toSharing(scope: RegistrySharingScope | null | undefined): Sharing | undefined {
  return scope === 'private' || scope === 'workspace' ? scope : undefined;
}

/** Undefined if the request does not set it. */
export function toRelation(relation: UpdateObject['workspaceRelation']): 'reader' | 'writer' | undefined {
  return relation === 'reader' || relation === 'writer' ? relation : undefined;
}

export const Timestamp = z.iso.datetime().meta({ id: 'Timestamp' });

const ListSortField = z
  .enum([
    'list_sort_field_unspecified',
    'list_sort_field_created_at',
    'list_sort_field_last_modified_at',
    'list_sort_field_name',
    'list_sort_field_title',
  ])
  .meta({ id: 'ListSortField' });

const ListSortDirection = z
  .enum(['list_sort_direction_unspecified', 'list_sort_direction_asc', 'list_sort_direction_desc'])
  .meta({ id: 'ListSortDirection' });

/** Text that both databases can store. */
export function storedText(lengthMax: number) {
  return z
    .string()
    .max(lengthMax)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), {
      error: 'the text holds a NUL or half of a surrogate pair, which cannot be kept',
    });
}

export const AliasName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z]([a-z0-9_-]*[a-z0-9])?$/);

const Alias = AliasName.refine((alias) => alias !== LATEST, {
  error: `the alias '${LATEST}' is reserved: it always reads the newest version`,
});

/** Aliases that point to a new version. */
export const Aliases = z.array(Alias).max(ALIASES_MAX);

/** An empty list removes all aliases of a version. */
const AliasList = z.strictObject({ values: Aliases.optional() }).meta({ id: 'AliasList' });

const Notes = storedText(10_000);

export const VersionNumber = queryInt32();

function versionFields<D extends z.ZodType>(definition: D) {
  return {
    definition: definition.optional(),
    version: z.int32().optional(),
    notes: z.string().optional(),
    aliases: z.array(z.string()).optional(),
    createdAt: Timestamp.optional(),
  };
}

/** The fields of an object besides those of its version. */
const objectFields = {
  id: z.string().optional(),
  name: z.string().optional(),
  sharingScope: RegistrySharingScope.optional(),
  /** Only of objects that members may not change. */
  workspaceRelation: ShareRelation.optional(),
  updatedAt: Timestamp.optional(),
  latestVersion: z.int32().optional(),
};

export const UpdateVersionRequest = z.strictObject({
  notes: Notes.nullable().optional(),
  aliases: AliasList.optional(),
});
export type UpdateVersionRequest = z.infer<typeof UpdateVersionRequest>;

export type UpdateObject = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  sharingScope?: RegistrySharingScope | null | undefined;
  workspaceRelation?: z.infer<typeof ShareRelation> | undefined;
};
export type CreateVersion<D> = { definition: D; notes?: string | null | undefined; aliases?: string[] | undefined };
export type CreateObject<D> = CreateVersion<D> & UpdateObject & { name: string };

/** In an update, null clears a text. */
export function toText(text: string | null | undefined): string | undefined {
  return text === null ? '' : text;
}

const CreatedVersion = z.strictObject({ version: z.int32().optional(), deduplicated: z.boolean().optional() });
export type CreatedVersion = z.infer<typeof CreatedVersion>;

const AliasMove = z.strictObject({
  alias: z.string(),
  fromVersion: z.int32().nullable(),
  toVersion: z.int32().nullable(),
  movedAt: Timestamp,
  movedBy: z.string(),
});

export type ListAliasMoves = { data: z.infer<typeof AliasMove>[] };

/** Names of fields, some with a dot. */
function fieldMask(known: readonly string[]) {
  const names = new Set(known);
  return queryList(
    z.string().refine((name) => names.has(name), { error: `unknown field; the known fields are ${known.join(', ')}` }),
  );
}

function fieldsQuery(known: readonly string[]) {
  return z.strictObject({ fields: fieldMask(known).optional() });
}

/** Which version of an object to read, and which fields. */
function selectorQuery(known: readonly string[]) {
  return z.strictObject({
    version: queryInt32().optional(),
    alias: z.string().optional(),
    fields: fieldMask(known).optional(),
  });
}

function listQuery(known: readonly string[]) {
  return z.strictObject({
    pageSize: queryInt32()
      .min(1)
      .default(PAGE_SIZE_DEFAULT)
      .transform((size) => Math.min(size, PAGE_SIZE_MAX)),
    pageToken: z.string().optional(),
    alias: z.string().optional(),
    fields: fieldMask(known).optional(),
    'sort.field': ListSortField.optional(),
    'sort.direction': ListSortDirection.optional(),
    sort_by: z.enum(['created_at', 'last_modified_at', 'name', 'title']).optional(),
    sort_direction: z.enum(['asc', 'desc']).optional(),
  });
}
export type ListParameters = z.infer<ReturnType<typeof listQuery>>;
export type SelectorParameters = z.infer<ReturnType<typeof selectorQuery>>;

/** The requests and responses of a room, under the room's names in the OpenAPI document. */
export function objectSchemas<
  D extends z.ZodType,
  Shown extends z.ZodRawShape = Record<never, never>,
  Given extends z.ZodRawShape = Record<never, never>,
>(room: {
  noun: string;
  name: z.ZodType<string, string>;
  definition: D;
  /** Fields of the room's own, as responses show them and as requests set them. */
  shown?: Shown;
  given?: Given;
  /** Fields of a definition that clients may ask for: in lists, and only when they read one object. */
  listed: string[];
  unlisted?: string[];
}) {
  const { noun, name, definition } = room;
  const shown = room.shown ?? ({} as Shown);
  const given = room.given ?? ({} as Given);
  const version = versionFields(definition);
  const object = z.strictObject({ ...version, ...objectFields, ...shown }).meta({ id: noun });
  const sharingScope = RegistrySharingScope.nullable().optional();
  const workspaceRelation = ShareRelation.optional();
  const notes = Notes.nullable().optional();
  const aliases = Aliases.optional();
  const fieldsOf = (parts: string[]) => [...Object.keys(object.shape), ...parts.map((part) => `definition.${part}`)];
  const fields = fieldsOf([...room.listed, ...(room.unlisted ?? [])]);
  return {
    object,
    list: z
      .strictObject({ data: z.array(object).optional(), nextPageToken: z.string().optional() })
      .meta({ id: `List${noun}sResponse` }),
    versions: z
      .strictObject({ data: z.array(z.strictObject(version).meta({ id: `${noun}Version` })).optional() })
      .meta({ id: `List${noun}VersionsResponse` }),
    create: z
      .strictObject({ name, definition, ...given, notes, sharingScope, workspaceRelation, aliases })
      .meta({ id: `Create${noun}Request` }),
    update: z.strictObject({ ...given, sharingScope, workspaceRelation }),
    createVersion: z.strictObject({ definition, notes, aliases }),
    created: CreatedVersion.meta({ id: `Create${noun}VersionResponse` }),
    deleted: z.strictObject({}).meta({ id: `Delete${noun}Response` }),
    aliasMoves: z
      .strictObject({ data: z.array(AliasMove.meta({ id: `${noun}AliasMove` })) })
      .meta({ id: `List${noun}AliasMovesResponse` }),
    listQuery: listQuery(fieldsOf(room.listed)),
    query: selectorQuery(fields),
    versionQuery: fieldsQuery(fields),
  };
}
export type ObjectSchemas = ReturnType<typeof objectSchemas>;
