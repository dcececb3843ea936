import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Agent } from '../../../../src/agents/schema.ts';
import type { AnyConversation } from '../../../../src/conversations/schema/requests.ts';
import type { ConversationBranches, ConversationTitles } from '../../../../src/conversations/schema/responses.ts';
import { ApiError, api } from '../../api/api.ts';
import type { Entry } from './entries.ts';

export type Conversation = AnyConversation;
export type Branch = ConversationBranches['branches'][number];

export const conversationsKey = ['conversations'] as const;
export const pageSize = 50;
const CHOICES = 100;

/** Pages count from 0, as in the API. */
export const conversationsQuery = (page: number) =>
  queryOptions({
    queryKey: [...conversationsKey, 'list', page],
    queryFn: ({ signal }) =>
      api.get<Conversation[]>('/v1/conversations', { signal, query: { page, page_size: pageSize } }),
    placeholderData: keepPreviousData,
  });

export const conversationPath = (id: string) => `/v1/conversations/${encodeURIComponent(id)}`;

export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: [...conversationsKey, 'one', id],
    queryFn: ({ signal }) => api.get<Conversation>(conversationPath(id), { signal }),
  });

export const historyQuery = (id: string) =>
  queryOptions({
    queryKey: [...conversationsKey, 'history', id],
    queryFn: ({ signal }) => api.get<{ entries: Entry[] }>(`${conversationPath(id)}/history`, { signal }),
    select: ({ entries }: { entries: Entry[] }) => entries,
  });

export const branchesQuery = (id: string) =>
  queryOptions({
    queryKey: [...conversationsKey, 'branches', id],
    queryFn: ({ signal }) =>
      api.get<ConversationBranches>(`/console/api/conversations/${encodeURIComponent(id)}/branches`, { signal }),
    select: ({ branches }: ConversationBranches) => branches,
  });

/** The first words of conversations that have no name. */
export const titlesQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [...conversationsKey, 'titles', ...ids],
    queryFn: ({ signal }) =>
      api.get<ConversationTitles>('/console/api/conversations/titles', { signal, query: { id: ids } }),
    select: ({ titles }: ConversationTitles) => titles,
    enabled: ids.length > 0,
  });

export const agentChoices = queryOptions({
  queryKey: ['agents', 'choices'],
  queryFn: ({ signal }) => api.get<Agent[]>('/v1/agents', { signal, query: { page_size: CHOICES } }),
});

/** A deleted agent is a 404; its messages are still shown. */
export const agentQuery = (id: string) =>
  queryOptions({
    queryKey: ['agents', 'one', id],
    queryFn: ({ signal }) => api.get<Agent>(`/v1/agents/${encodeURIComponent(id)}`, { signal }),
    enabled: id !== '',
    retry: (failures, error) => !(error instanceof ApiError && error.status === 404) && failures < 1,
  });
