import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ContentSettings } from '../../../../src/traces/schema/contents.ts';
import type { FeedbackList } from '../../../../src/traces/schema/feedback.ts';
import type { AggregationResult, Feed, GetSpan } from '../../../../src/traces/schema/wire.ts';
import { api } from '../../api/api.ts';
import type { RequestFilters } from './filters.ts';
import { periodOf, toExpression } from './filters.ts';

export type { ContentSettings };
export type Span = GetSpan;
type Found = { spans: Feed<Span> };

export const requestsKey = ['requests'] as const;
const PAGE = 100;
const LIVE_MS = 2000;
const OBSERVABILITY = '/v1/observability';

const startOf = (filters: RequestFilters) => new Date(Date.now() - periodOf(filters).hours * 3_600_000).toISOString();

/** The key leaves out `live`, which changes nothing about what was found. */
const keyOf = ({ live: _, ...filters }: RequestFilters) => filters;

export const spansQuery = (filters: RequestFilters) =>
  infiniteQueryOptions({
    queryKey: [...requestsKey, 'list', keyOf(filters)],
    queryFn: ({ signal, pageParam }) =>
      api.post<Found>(
        `${OBSERVABILITY}/spans/search`,
        { search_expression: toExpression(filters) ?? null },
        { signal, query: { from: startOf(filters), page_size: PAGE, ...(pageParam ? { cursor: pageParam } : {}) } },
      ),
    initialPageParam: '',
    getNextPageParam: ({ spans }) => spans.cursor || undefined,
    retry: false,
    placeholderData: keepPreviousData,
  });

/** The newest ones, again and again. */
export const newestQuery = (filters: RequestFilters) =>
  queryOptions({
    queryKey: [...requestsKey, 'newest', keyOf(filters)],
    queryFn: ({ signal }) =>
      api.post<Found>(
        `${OBSERVABILITY}/spans/search`,
        { search_expression: toExpression(filters) ?? null },
        { signal, query: { from: startOf(filters), page_size: PAGE } },
      ),
    enabled: filters.live === true,
    refetchInterval: LIVE_MS,
    retry: false,
  });

export const optionsQuery = (field: string, filters: RequestFilters) =>
  queryOptions({
    queryKey: [...requestsKey, 'options', field, periodOf(filters).value],
    queryFn: ({ signal }) =>
      api.get<{ options: string[] | null }>(`${OBSERVABILITY}/spans/fields/${field}/options`, {
        signal,
        query: { from: startOf(filters) },
      }),
    select: ({ options }: { options: string[] | null }) => options ?? [],
  });

export type Series = AggregationResult;

/** One measure over the period, by hour or by what fits it. */
export const seriesQuery = (filters: RequestFilters, measure: string, aggregation: string, dimension?: string) =>
  queryOptions({
    queryKey: [...requestsKey, 'series', keyOf(filters), measure, aggregation, dimension],
    queryFn: ({ signal }) =>
      api.post<Series>(
        `${OBSERVABILITY}/spans/aggregate`,
        {
          metric: { measure, aggregation },
          dimensions: dimension ? [dimension] : [],
          time_dimension: { granularity: granularityOf(filters) },
          search_expression: toExpression(filters) ?? null,
          limit: 5000,
        },
        { signal, query: { from: startOf(filters) } },
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });

export function granularityOf(filters: RequestFilters): 'minute' | 'hour' | 'day' {
  const { hours } = periodOf(filters);
  return hours <= 1 ? 'minute' : hours <= 168 ? 'hour' : 'day';
}

const tracePath = (traceId: string) => `${OBSERVABILITY}/traces/${encodeURIComponent(traceId)}`;
export const spanPath = (traceId: string, spanId: string) =>
  `${tracePath(traceId)}/spans/${encodeURIComponent(spanId)}`;

export const spanQuery = (traceId: string, spanId: string) =>
  queryOptions({
    queryKey: [...requestsKey, 'span', traceId, spanId],
    queryFn: ({ signal }) => api.get<Span>(spanPath(traceId, spanId), { signal }),
  });

/** The first hundred spans of a trace, oldest first. */
export const traceQuery = (traceId: string) =>
  queryOptions({
    queryKey: [...requestsKey, 'trace', traceId],
    queryFn: ({ signal }) => api.get<Found>(`${tracePath(traceId)}/spans`, { signal, query: { page_size: PAGE } }),
    select: ({ spans }: Found) => spans,
  });

export const contentsPath = `${OBSERVABILITY}/contents`;
export const contentsQuery = queryOptions({
  queryKey: [...requestsKey, 'contents'],
  queryFn: ({ signal }) => api.get<ContentSettings>(contentsPath, { signal }),
});

export const feedbackQuery = (traceId: string, spanId: string) =>
  queryOptions({
    queryKey: [...requestsKey, 'feedback', traceId, spanId],
    queryFn: ({ signal }) => api.get<FeedbackList>(`${spanPath(traceId, spanId)}/feedback`, { signal }),
    select: ({ data }: FeedbackList) => data,
  });
