import { queryOptions } from '@tanstack/react-query';
import type { Agent } from '../../../../src/agents/schema.ts';
import type { ModelCard } from '../../../../src/models/schema.ts';
import type { ListPromptsResponse, Prompt, PromptModel, PromptVersion } from '../../../../src/prompts/schema.ts';
import { api } from '../../api/api.ts';

/** As many as one page of the API has; more than that are found by typing their name. */
const LISTED = 100;

export const chatModels = queryOptions({
  queryKey: ['models'],
  queryFn: () => api.get<{ data?: ModelCard[] }>('/v1/models'),
  select: ({ data = [] }) => data.filter(({ capabilities }) => capabilities.completion_chat !== false),
});

export const prompts = queryOptions({
  queryKey: ['playground', 'prompts'],
  queryFn: () =>
    api.get<ListPromptsResponse>('/v2/prompts', { query: { pageSize: LISTED, fields: 'id,name,title,latestVersion' } }),
  select: ({ data = [] }): Prompt[] => data,
});

export const agents = queryOptions({
  queryKey: ['playground', 'agents'],
  queryFn: () => api.get<Agent[]>('/v1/agents', { query: { page_size: LISTED } }),
});

export const promptVersions = (name: string) =>
  queryOptions({
    queryKey: ['playground', 'versions', name],
    queryFn: () => api.get<{ data?: PromptVersion[] }>(`/v2/prompts/${encodeURIComponent(name)}/versions`),
    select: ({ data = [] }) => data,
    enabled: name !== '',
  });

export const promptModel = (name: string) =>
  queryOptions({
    queryKey: ['playground', 'model', name],
    queryFn: () => api.get<PromptModel>(`/v2/prompts/${encodeURIComponent(name)}/model`),
    enabled: name !== '',
  });

/** The version that an alias, a `#3` or nothing stands for. */
export function versionAt(versions: readonly PromptVersion[], at: string): PromptVersion | undefined {
  if (at === '') return versions[0];
  if (at.startsWith('#')) return versions.find(({ version }) => `#${version}` === at);
  return versions.find(({ aliases = [] }) => aliases.includes(at));
}
