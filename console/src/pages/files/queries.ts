import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { FileSchema, ListFilesResponse } from '../../../../src/files/schema.ts';
import { api } from '../../api/api.ts';

export type StoredFile = FileSchema;
export const filesKey = ['files'] as const;
export const pageSize = 25;
export const filePath = (id: string) => `/v1/files/${encodeURIComponent(id)}`;

/** Pages count from 0, as in the API. */
export const filesQuery = (filters: { search: string; purpose: string; page: number }) =>
  queryOptions({
    queryKey: [...filesKey, 'list', filters],
    queryFn: ({ signal }) =>
      api.get<ListFilesResponse>('/v1/files', { signal, query: { ...filters, page_size: pageSize } }),
    placeholderData: keepPreviousData,
  });
