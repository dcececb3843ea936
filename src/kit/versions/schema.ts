import { z } from 'zod';
import { queryInt32, queryList } from '../http/index.ts';
import { LATEST, type Sharing } from './snapshot.ts';

const ALIASES_MAX = 100;
const PAGE_SIZE_DEFAULT = 20;
const PAGE_SIZE_MAX = 100;
const ALIAS = /^[a-z]([a-z0-9_-]*[a-z0-9])?$/;

export const RegistrySharingScope = z
  .enum(['sharing_scope_unspecified', 'private', 'workspace'])
  .meta({ id: 'RegistrySharingScope' });
export type RegistrySharingScope = z.infer<typeof RegistrySharingScope>;

/** Undefined where nothing was said about it. */
export function toSharing(scope: RegistrySharingScope | null | undefined): Sharing | undefined {
  return scope === 'private' || scope === 'workspace' ? scope : undefined;
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

/** Text that both databases keep as it is. */
export function storedText(lengthMax: number) {
  return z
    .string()
    .max(lengthMax)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), {
      error: 'the text holds a NUL or half of a surrogate pair, which cannot be kept',
    });
}

const Alias = z
  .string()
  .min(1)
  .max(64)
  .regex(ALIAS)
  .refine((alias) => alias !== LATEST, {
    error: `the alias '${LATEST}' is reserved: it always reads the newest version`,
  });

/** Aliases that point to a new version. */
export const Aliases = z.array(Alias).max(ALIASES_MAX);

/** A list that can also be there and empty, which takes all aliases from a version. */
export const AliasList = z.strictObject({ values: Aliases.optional() }).meta({ id: 'AliasList' });

export const Notes = storedText(10_000);

/** Names of fields, some of them with a dot; each must be one of the known. */
function fieldMask(known: readonly string[]) {
  const names = new Set(known);
  return queryList(
    z.string().refine((name) => names.has(name), { error: `unknown field; the known fields are ${known.join(', ')}` }),
  );
}

export function fieldsQuery(known: readonly string[]) {
  return z.strictObject({ fields: fieldMask(known).optional() });
}

/** Which version of an object to read, and how much of it. */
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

export const VersionNumber = queryInt32();
