import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  DatasetImportTask,
  DatasetRecord,
  ListDatasetImportTasksResponse,
} from '../../../../src/datasets/schema.ts';
import { api } from '../../api/api.ts';
import { datasetPath, datasetsKey } from '../../api/datasets.ts';

export type { DatasetRecord };
export type Task = DatasetImportTask;
type Records = { records: { results?: DatasetRecord[]; count: number } };

export const pageSize = 25;
const FOLLOW_MS = 1000;

export const recordPath = (id: string) => `/v1/observability/dataset-records/${encodeURIComponent(id)}`;

export const recordsQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: [...datasetsKey, 'one', id, 'records', page],
    queryFn: ({ signal }) =>
      api.get<Records>(`${datasetPath(id)}/records`, { signal, query: { page, page_size: pageSize } }),
    select: ({ records }: Records) => records,
    placeholderData: keepPreviousData,
  });

export const isRunning = ({ status }: Task) => status === 'RUNNING';

/** Read again while one of them runs. */
export const tasksQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: [...datasetsKey, 'one', id, 'tasks', page],
    queryFn: ({ signal }) =>
      api.get<ListDatasetImportTasksResponse>(`${datasetPath(id)}/tasks`, {
        signal,
        query: { page, page_size: pageSize },
      }),
    select: ({ tasks }: ListDatasetImportTasksResponse) => tasks,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.tasks.results?.some(isRunning) ? FOLLOW_MS : false),
  });

/** Uploads a file for a day, which is long enough to be read, and starts its import. */
export async function importFile(datasetId: string, file: File): Promise<Task> {
  const form = new FormData();
  form.append('expiry', '24');
  form.append('file', file, file.name);
  const response = await api.raw('POST', '/v1/files', form);
  const { id } = (await response.json()) as { id: string };
  return api.post<Task>(`${datasetPath(datasetId)}/imports/from-file`, { file_id: id });
}
