import { queryOptions } from '@tanstack/react-query';
import type { ConsoleModels } from '../../../../src/console/schema/models.ts';
import { api } from '../../api/api.ts';

export type ServedModel = ConsoleModels['models'][number];
export type CatalogueModel = ConsoleModels['catalogue'][number];

const healthMs = 10_000;

export const modelsQuery = queryOptions({
  queryKey: ['models', 'console'],
  queryFn: () => api.get<ConsoleModels>('/console/api/models'),
  refetchInterval: healthMs,
});
