import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/api.ts';

/** Prompts and skills share this model: names, immutable numbered versions, aliases. */
export type Registry = { path: '/v2/prompts' | '/v2/skills'; noun: 'prompt' | 'skill' };

export type Entry<D = unknown> = {
  id?: string | undefined;
  name?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  sharingScope?: string | undefined;
  updatedAt?: string | undefined;
  latestVersion?: number | undefined;
  version?: number | undefined;
  aliases?: string[] | undefined;
  definition?: D | undefined;
};

export type Version<D = unknown> = {
  version?: number | undefined;
  notes?: string | undefined;
  aliases?: string[] | undefined;
  createdAt?: string | undefined;
  definition?: D | undefined;
};

export type AliasMove = {
  alias: string;
  fromVersion: number | null;
  toVersion: number | null;
  movedAt: string;
  movedBy: string;
};

export const pageSize = 25;
const SEARCH_PAGE = 100;
const FOUND_MAX = 100;

type ListPage = { data?: Entry[]; nextPageToken?: string };

export const addressOf = ({ path }: Registry, id: string) => `${path}/${encodeURIComponent(id)}`;

export const listQuery = (registry: Registry, fields: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: [registry.path, 'list', cursor],
    queryFn: ({ signal }) =>
      api.get<ListPage>(registry.path, {
        signal,
        query: { pageSize, pageToken: cursor, fields, sort_by: 'last_modified_at' },
      }),
  });

/** The API has no search, so this reads page after page until it has enough matches. */
export const searchQuery = (registry: Registry, fields: string, text: string) =>
  queryOptions({
    queryKey: [registry.path, 'search', text],
    enabled: text !== '',
    queryFn: async ({ signal }) => {
      const found: Entry[] = [];
      const wanted = text.toLowerCase();
      let pageToken: string | undefined;
      do {
        const query = { pageSize: SEARCH_PAGE, pageToken, fields, sort_by: 'name' };
        const { data = [], nextPageToken } = await api.get<ListPage>(registry.path, { signal, query });
        found.push(...data.filter((entry) => textOf(entry).includes(wanted)));
        pageToken = nextPageToken;
      } while (pageToken && found.length < FOUND_MAX);
      return { data: found.slice(0, FOUND_MAX), isCut: found.length > FOUND_MAX || pageToken !== undefined };
    },
  });

export const entryQuery = <D>(registry: Registry, id: string, fields?: string) =>
  queryOptions({
    queryKey: [registry.path, 'one', id],
    queryFn: () => api.get<Entry<D>>(addressOf(registry, id), { query: { fields } }),
  });

export const versionsQuery = <D>(registry: Registry, id: string) =>
  queryOptions({
    queryKey: [registry.path, 'one', id, 'versions'],
    queryFn: () => api.get<{ data?: Version<D>[] }>(`${addressOf(registry, id)}/versions`),
    select: ({ data = [] }) => data,
  });

export const movesQuery = (registry: Registry, id: string) =>
  queryOptions({
    queryKey: [registry.path, 'one', id, 'moves'],
    queryFn: () => api.get<{ data: AliasMove[] }>(`${addressOf(registry, id)}/alias_moves`),
    select: ({ data }) => data,
  });

/** Moves an alias; `undefined` removes it. */
export async function placeAlias(
  registry: Registry,
  id: string,
  versions: readonly Version[],
  alias: string,
  to: number | undefined,
): Promise<void> {
  const target = versions.find(({ version, aliases = [] }) =>
    to === undefined ? aliases.includes(alias) : version === to,
  );
  if (target?.version === undefined) return;
  const others = (target.aliases ?? []).filter((one) => one !== alias);
  await api.patch(`${addressOf(registry, id)}/versions/${target.version}`, {
    aliases: { values: to === undefined ? others : [...others, alias] },
  });
}

function textOf({ name = '', title = '', description = '', definition }: Entry): string {
  const described = (definition as { description?: string } | undefined)?.description ?? '';
  return `${name}\n${title}\n${description}\n${described}`.toLowerCase();
}
