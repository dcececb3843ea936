import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ConsoleNames } from '../../../src/console/schema/names.ts';
import { api } from './api.ts';

type Names = ConsoleNames['names'];

/** As many as the server takes at once. */
const BATCH = 100;

const namesQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['names', ...ids],
    queryFn: async ({ signal }): Promise<Names> => {
      const batches = Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, at) =>
        ids.slice(at * BATCH, (at + 1) * BATCH),
      );
      const found = await Promise.all(
        batches.map((id) => api.get<ConsoleNames>('/console/api/names', { signal, query: { id } })),
      );
      return Object.assign({}, ...found.map(({ names }) => names)) as Names;
    },
    enabled: ids.length > 0,
    staleTime: 60_000,
  });

/** The names of people, keys, workspaces and agents; `undefined` until they are known. */
export function useNames(ids: readonly (string | null | undefined)[]): Names | undefined {
  const wanted = [...new Set(ids.filter((id): id is string => Boolean(id)))].sort();
  const { data } = useQuery(namesQuery(wanted));
  return wanted.length === 0 ? {} : data;
}

/** The name with its state; what is no longer there says so. */
export function nameOf(names: Names | undefined, id: string, what: string): string {
  if (names === undefined) return '…';
  const known = names[id];
  if (known === undefined) return `deleted ${what}`;
  return known.has_ended ? `${known.name} (${known.kind === 'key' ? 'revoked' : 'deleted'})` : known.name;
}
