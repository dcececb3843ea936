import { queryOptions } from '@tanstack/react-query';
import type { Agent } from '../../../../src/agents/schema.ts';
import type { PaginatedConnectors } from '../../../../src/connectors/schema/connectors.ts';
import type { ListedPlaygroundSession, PlaygroundPrices } from '../../../../src/console/schema/playground.ts';
import type { ListLibrariesResponse } from '../../../../src/libraries/schema.ts';
import type { ModelCard } from '../../../../src/models/schema.ts';
import type { Prompt, PromptDefinition, PromptModel } from '../../../../src/prompts/schema.ts';
import { api } from '../../api/api.ts';
import type { Version } from '../../registry/queries.ts';

export type Session = ListedPlaygroundSession;
export const SESSIONS = '/console/api/playground/sessions';

type PromptVersion = Version<PromptDefinition>;

/** One page of the API; anything beyond it must be typed by name. */
const LISTED = 100;

export const prompts = queryOptions({
  queryKey: ['playground', 'prompts'],
  queryFn: () =>
    api.get<{ data?: Prompt[] }>('/v2/prompts', { query: { pageSize: LISTED, fields: 'id,name,title,latestVersion' } }),
  select: ({ data = [] }): Prompt[] => data,
});

export const agents = queryOptions({
  queryKey: ['playground', 'agents'],
  queryFn: () => api.get<Agent[]>('/v1/agents', { query: { page_size: LISTED } }),
});

export const libraries = queryOptions({
  queryKey: ['playground', 'libraries'],
  queryFn: () => api.get<ListLibrariesResponse>('/v1/libraries', { query: { page_size: LISTED } }),
  select: ({ data }: ListLibrariesResponse) => data,
});

export const connectors = queryOptions({
  queryKey: ['playground', 'connectors'],
  queryFn: () => api.get<PaginatedConnectors>('/v1/connectors', { query: { page_size: LISTED } }),
  select: ({ items }: PaginatedConnectors) => items,
});

/** What answers cost, and the voice that reads them. */
export const prices = queryOptions({
  queryKey: ['playground', 'prices'],
  queryFn: () => api.get<PlaygroundPrices>('/console/api/playground/prices'),
  staleTime: 60_000,
});

export const speakingModels = queryOptions({
  queryKey: ['models'],
  queryFn: () => api.get<{ data?: ModelCard[] }>('/v1/models'),
  select: ({ data = [] }: { data?: ModelCard[] }) =>
    data.filter((card) => card.capabilities.audio_speech && !('alias_of' in card)).map(({ id }) => id),
});

export const sessionsQuery = queryOptions({
  queryKey: ['playground', 'sessions'],
  queryFn: () => api.get<{ sessions: Session[] }>(SESSIONS),
  select: ({ sessions }: { sessions: Session[] }) => sessions,
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

/** Resolves an alias, a version as `#3`, or empty for the latest. */
export function versionAt(versions: readonly PromptVersion[], at: string): PromptVersion | undefined {
  if (at === '') return versions[0];
  if (at.startsWith('#')) return versions.find(({ version }) => `#${version}` === at);
  return versions.find(({ aliases = [] }) => aliases.includes(at));
}
