import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Agent, AgentAliasResponse } from '../../../../src/agents/schema.ts';
import { api } from '../../api/api.ts';

export type { Agent };
export type Alias = AgentAliasResponse;

export const agentsKey = ['agents'] as const;
export const pageSize = 50;
export const versionsPageSize = 20;
/** How many agents the form offers for handoffs. */
const CHOICES = 100;

type AgentPage = { data: Agent[]; next_page_token?: string | null };

export const agentsQuery = (search: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: [...agentsKey, 'list', search, cursor],
    queryFn: ({ signal }) =>
      api.get<AgentPage>('/v1/agents/pages', { signal, query: { search, page_size: pageSize, page_token: cursor } }),
    placeholderData: keepPreviousData,
  });

export const agentChoices = queryOptions({
  queryKey: [...agentsKey, 'choices'],
  queryFn: ({ signal }) => api.get<Agent[]>('/v1/agents', { signal, query: { page_size: CHOICES } }),
});

export const agentPath = (id: string) => `/v1/agents/${encodeURIComponent(id)}`;

export const agentQuery = (id: string) =>
  queryOptions({
    queryKey: [...agentsKey, 'one', id],
    queryFn: ({ signal }) => api.get<Agent>(agentPath(id), { signal }),
  });

/** Pages count from 0, as in the API. Requests one extra item to know whether there is a next page. */
export const versionsQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: [...agentsKey, 'versions', id, page],
    queryFn: ({ signal }) =>
      api.get<Agent[]>(`${agentPath(id)}/versions`, { signal, query: { page, page_size: versionsPageSize } }),
    placeholderData: keepPreviousData,
  });

export const aliasesQuery = (id: string) =>
  queryOptions({
    queryKey: [...agentsKey, 'aliases', id],
    queryFn: ({ signal }) => api.get<Alias[]>(`${agentPath(id)}/aliases`, { signal }),
  });

/** Skills that an agent may use. */
export const skillChoices = queryOptions({
  queryKey: ['agents', 'skills'],
  queryFn: ({ signal }) =>
    api.get<{ data?: { name: string }[] }>('/v2/skills', { signal, query: { pageSize: CHOICES, fields: 'name' } }),
  select: ({ data = [] }) => data.map(({ name }) => ({ value: name, label: name })),
});

/** Connectors whose tools an agent may use. */
export const connectorChoices = queryOptions({
  queryKey: ['agents', 'connectors'],
  queryFn: ({ signal }) =>
    api.get<{ items?: { id: string; name: string }[] }>('/v1/connectors', { signal, query: { page_size: CHOICES } }),
  select: ({ items = [] }) => items.map(({ id, name }) => ({ value: id, label: name })),
});

/** Prompts that an agent may use as its model, in their newest version. */
export const promptChoices = queryOptions({
  queryKey: ['agents', 'prompts'],
  queryFn: ({ signal }) =>
    api.get<{ data?: { name: string }[] }>('/v2/prompts', { signal, query: { pageSize: 100, fields: 'name' } }),
  select: ({ data = [] }) => data,
});
