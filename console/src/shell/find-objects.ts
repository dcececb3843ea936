import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import type { IconName } from '../ui/icon.tsx';

export type Found = { kind: string; id: string; name: string; icon: IconName; to: string };

type Named = { id: string; name?: string | null; title?: string | null };
type Source = {
  kind: string;
  icon: IconName;
  path: string;
  query: Record<string, string | number>;
  to: (entry: Named) => string;
};

const LISTED = 100;
const at = (value: string) => encodeURIComponent(value);

const SOURCES: readonly Source[] = [
  {
    kind: 'Prompt',
    icon: 'prompt',
    path: '/v2/prompts',
    query: { pageSize: LISTED, fields: 'id,name,title' },
    to: ({ id }) => `/prompts/${at(id)}`,
  },
  {
    kind: 'Skill',
    icon: 'skill',
    path: '/v2/skills',
    query: { pageSize: LISTED, fields: 'id,name,title' },
    to: ({ id }) => `/skills/${at(id)}`,
  },
  {
    kind: 'Agent',
    icon: 'agent',
    path: '/v1/agents',
    query: { page_size: LISTED },
    to: ({ id }) => `/agents/${at(id)}`,
  },
  {
    kind: 'Library',
    icon: 'book',
    path: '/v1/libraries',
    query: { page_size: LISTED },
    to: ({ id }) => `/libraries/${at(id)}`,
  },
  {
    kind: 'Conversation',
    icon: 'chat',
    path: '/v1/conversations',
    query: { page_size: LISTED },
    to: ({ id }) => `/conversations/${at(id)}`,
  },
  { kind: 'Model', icon: 'model', path: '/v1/models', query: {}, to: () => '/models' },
];

/** The newest of each kind, by name and id. What the user may not see is left out. */
export const objectsQuery = queryOptions({
  queryKey: ['palette'],
  queryFn: async ({ signal }): Promise<Found[]> => {
    const lists = await Promise.allSettled(
      SOURCES.map(async ({ kind, icon, path, query, to }) => {
        const body = await api.get<Named[] | { data?: Named[] }>(path, { signal, query });
        return (Array.isArray(body) ? body : (body.data ?? [])).map((entry) => ({
          ...{ kind, icon, id: entry.id, to: to(entry) },
          name: (kind === 'Model' ? entry.id : entry.title || entry.name) || entry.id,
        }));
      }),
    );
    return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  },
});
