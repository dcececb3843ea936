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

/** Names one state of an object at one version: two different responses never have the same tag. */
export function etagOf({ id, revision, version }: { id: string; revision: number; version: number }): string {
  return `"${id}.${revision}.${version}"`;
}

export const RegistrySharingScope = z
  .enum(['sharing_scope_unspecified', 'private', 'workspace'])
  .meta({ id: 'RegistrySharingScope' });
export type RegistrySharingScope = z.infer<typeof RegistrySharingScope>;

/** Undefined if the request does not set it. */
export function toSharing(scope: RegistrySharingScope | null | undefined): Sharing | undefined {
  return scope === 'private' || scope === 'workspace' ? scope : undefined;
}

const Timestamp = z.iso.datetime().meta({ id: 'Timestamp' });

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

export const Notes = storedText(10_000);

export const VersionNumber = queryInt32();

export function versionFields<D extends z.ZodType>(definition: D) {
  return {
    definition: definition.optional(),
    version: z.int32().optional(),
    notes: z.string().optional(),
    aliases: z.array(z.string()).optional(),
    createdAt: Timestamp.optional(),
  };
}

/** The fields of an object besides those of its version. */
export const objectFields = {
  id: z.string().optional(),
  name: z.string().optional(),
  sharingScope: RegistrySharingScope.optional(),
  updatedAt: Timestamp.optional(),
  latestVersion: z.int32().optional(),
};

export function createVersionRequest<D extends z.ZodType>(definition: D) {
  return z.strictObject({ definition, notes: Notes.nullable().optional(), aliases: Aliases.optional() });
}

export const UpdateVersionRequest = z.strictObject({
  notes: Notes.nullable().optional(),
  aliases: AliasList.optional(),
});
export type UpdateVersionRequest = z.infer<typeof UpdateVersionRequest>;

/** Null clears the notes. */
export function toVersionChanges({ notes, aliases }: UpdateVersionRequest) {
  return { notes: notes === null ? '' : notes, aliases: aliases && (aliases.values ?? []) };
}

const CreatedVersion = z.strictObject({ version: z.int32().optional(), deduplicated: z.boolean().optional() });

const AliasMove = z.strictObject({
  alias: z.string(),
  fromVersion: z.int32().nullable(),
  toVersion: z.int32().nullable(),
  movedAt: Timestamp,
  movedBy: z.string(),
});

/** Responses that are the same in every room, under the room's names in the OpenAPI document. */
export function responsesOf(noun: string) {
  return {
    created: CreatedVersion.meta({ id: `Create${noun}VersionResponse` }),
    deleted: z.strictObject({}).meta({ id: `Delete${noun}Response` }),
    aliasMoves: z
      .strictObject({ data: z.array(AliasMove.meta({ id: `${noun}AliasMove` })) })
      .meta({ id: `List${noun}AliasMovesResponse` }),
  };
}

/** Names of fields, some with a dot. */
function fieldMask(known: readonly string[]) {
  const names = new Set(known);
  return queryList(
    z.string().refine((name) => names.has(name), { error: `unknown field; the known fields are ${known.join(', ')}` }),
  );
}

export function fieldsQuery(known: readonly string[]) {
  return z.strictObject({ fields: fieldMask(known).optional() });
}

/** Which version of an object to read, and which fields. */
export function selectorQuery(known: readonly string[]) {
  return z.strictObject({
    version: queryInt32().optional(),
    alias: z.string().optional(),
    fields: fieldMask(known).optional(),
  });
}

export function listQuery(known: readonly string[]) {
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
