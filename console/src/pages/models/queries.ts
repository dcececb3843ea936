import { queryOptions } from '@tanstack/react-query';
import type { ConsoleModels } from '../../../../src/console/schema/models.ts';
import type { ConnectionReport, ManagedModel, OfferedModel, Preset } from '../../../../src/model-settings/schema.ts';
import type { AggregationResult } from '../../../../src/traces/schema/wire.ts';
import { api } from '../../api/api.ts';

export type ServedModel = ConsoleModels['models'][number];
export type CatalogueModel = ConsoleModels['catalogue'][number];
export type { ConnectionReport, ManagedModel, OfferedModel, Preset };

const healthMs = 10_000;

/** Whether its weights can be downloaded here and are not on the machine yet. */
export const isDownloadable = ({ weights }: ServedModel, catalogue: readonly CatalogueModel[]): boolean =>
  catalogue.some(({ id, installed }) => id === weights && !installed);

/** What shows models anywhere begins with this key. */
export const modelsKey = ['models'] as const;
export const managedPath = '/v1/admin/models';
export const adaptersPath = '/v1/admin/model-adapters';
export const managedModelPath = (id: string) => `${managedPath}/${encodeURIComponent(id)}`;

export const modelsQuery = queryOptions({
  queryKey: [...modelsKey, 'console'],
  queryFn: () => api.get<ConsoleModels>('/console/api/models'),
  refetchInterval: healthMs,
});

export const managedQuery = queryOptions({
  queryKey: [...modelsKey, 'managed'],
  queryFn: () => api.get<{ data: ManagedModel[] }>(managedPath),
  select: ({ data }: { data: ManagedModel[] }) => data,
});

export const presetsQuery = queryOptions({
  queryKey: ['model-presets'],
  queryFn: () => api.get<{ data: Preset[] }>('/v1/admin/model-servers/presets'),
  select: ({ data }: { data: Preset[] }) => data,
  staleTime: Number.POSITIVE_INFINITY,
});

const DAY_MS = 86_400_000;

/** One figure of a model over the last day, from the requests of the workspace. */
export const figureQuery = (model: string, measure: string, aggregation: string, more = '') =>
  queryOptions({
    queryKey: [...modelsKey, 'figure', model, measure, aggregation, more],
    queryFn: ({ signal }) =>
      api.post<AggregationResult>(
        '/v1/observability/spans/aggregate',
        {
          metric: { measure, aggregation },
          dimensions: [],
          search_expression: `response_model = '${model.replaceAll("'", "''")}'${more}`,
          limit: 1,
        },
        { signal, query: { from: new Date(Date.now() - DAY_MS).toISOString() } },
      ),
    select: ({ data }: AggregationResult) => data[0]?.metric_value ?? null,
    refetchInterval: healthMs,
    retry: false,
  });
