import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { BatchJob } from '../../../../src/batch/schema.ts';
import { api } from '../../api/api.ts';

export type { BatchJob };
export const batchKey = ['batch'] as const;
export const pageSize = 25;
export const jobPath = (id: string) => `/v1/batch/jobs/${encodeURIComponent(id)}`;

const FOLLOW_MS = 1500;
const OPEN: readonly BatchJob['status'][] = ['QUEUED', 'RUNNING', 'CANCELLATION_REQUESTED'];
export const isOpen = ({ status }: Pick<BatchJob, 'status'>) => OPEN.includes(status);

/** Asked again while something runs. */
export const jobsQuery = (page: number) =>
  queryOptions({
    queryKey: [...batchKey, 'list', page],
    queryFn: ({ signal }) =>
      api.get<{ data?: BatchJob[]; total: number }>('/v1/batch/jobs', { signal, query: { page, page_size: pageSize } }),
    refetchInterval: ({ state }) => (state.data?.data?.some(isOpen) ? FOLLOW_MS : false),
    placeholderData: keepPreviousData,
  });

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: [...batchKey, 'one', id],
    queryFn: ({ signal }) => api.get<BatchJob>(jobPath(id), { signal }),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? FOLLOW_MS : false),
  });
