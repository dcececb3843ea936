import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

export type ModelState = 'ready' | 'fetching' | 'missing' | 'down' | 'unknown';
export type ServedModel = {
  id: string;
  aliases: string[];
  engine: string;
  state: ModelState;
  detail: string | null;
  weights: string | null;
  capabilities: Record<string, boolean>;
};
export type CatalogueModel = {
  id: string;
  purpose: string;
  summary: string;
  licence: string;
  bytes: number;
  memory_bytes: number | null;
  speed: string | null;
  installed: boolean;
};
export type Pull = {
  model: string;
  state: 'running' | 'done' | 'failed';
  bytes: number;
  total_bytes: number | null;
  message: string;
};
export type Models = { models: ServedModel[]; catalogue: CatalogueModel[]; pulls: Pull[] };

const healthMs = 10_000;

export const modelsQuery = queryOptions({
  queryKey: ['models', 'console'],
  queryFn: () => api.get<Models>('/console/api/models'),
  refetchInterval: healthMs,
});
