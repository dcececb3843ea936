import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Dataset, ListDatasetsResponse } from '../../../src/datasets/schema.ts';
import { api } from './api.ts';

export type { Dataset };

export const datasetsKey = ['datasets'] as const;
export const datasetsPath = '/v1/observability/datasets';
export const datasetPath = (id: string) => `${datasetsPath}/${encodeURIComponent(id)}`;

export const datasetsQuery = (page: number, pageSize: number, search = '') =>
  queryOptions({
    queryKey: [...datasetsKey, 'list', page, pageSize, search],
    queryFn: ({ signal }) =>
      api.get<ListDatasetsResponse>(datasetsPath, {
        signal,
        query: { page, page_size: pageSize, ...(search ? { q: search } : {}) },
      }),
    select: ({ datasets }: ListDatasetsResponse) => datasets,
    placeholderData: keepPreviousData,
  });

export const datasetQuery = (id: string) =>
  queryOptions({
    queryKey: [...datasetsKey, 'one', id],
    queryFn: ({ signal }) => api.get<Dataset>(datasetPath(id), { signal }),
  });
