import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

export type Health = {
  version: string;
  started_at: string;
  database: { kind: 'sqlite' | 'postgres'; latency_ms: number };
  models: {
    id: string;
    engine: string;
    state: 'ready' | 'fetching' | 'missing' | 'down' | 'unknown';
    detail: string | null;
  }[];
  tasks: { queue: string; waiting: number; running: number; dead: number }[];
};
export type Failure = {
  at: string;
  method: string;
  route: string;
  status: number;
  request_id: string;
  message: string;
  key_id: string | null;
};

const liveMs = 5_000;
const errorsMax = 200;

export const healthQuery = queryOptions({
  queryKey: ['home', 'health'],
  queryFn: () => api.get<Health>('/console/api/health'),
  refetchInterval: liveMs,
});

export const errorsQuery = queryOptions({
  queryKey: ['home', 'errors'],
  queryFn: () => api.get<{ errors: Failure[] }>('/console/api/errors', { query: { limit: errorsMax } }),
  refetchInterval: liveMs,
});
