import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Judge, ListJudgesResponse } from '../../../../src/judges/schema.ts';
import { api } from '../../api/api.ts';

export type { Judge };

export const judgesKey = ['judges'] as const;
export const pageSize = 50;
export const judgesPath = '/v1/observability/judges';
export const judgePath = (id: string) => `${judgesPath}/${encodeURIComponent(id)}`;

export const judgesQuery = (page: number, search: string) =>
  queryOptions({
    queryKey: [...judgesKey, page, search],
    queryFn: ({ signal }) =>
      api.get<ListJudgesResponse>(judgesPath, {
        signal,
        query: { page, page_size: pageSize, ...(search ? { q: search } : {}) },
      }),
    select: ({ judges }: ListJudgesResponse) => judges,
    placeholderData: keepPreviousData,
  });
