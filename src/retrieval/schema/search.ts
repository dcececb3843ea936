import { z } from 'zod';
import type { Filter } from './filter.ts';

const QUERY_MAX = 8000;
const VALUE_MAX = 512;
const TOP_MAX = 200;
const FILTERS_MAX = 100;
const DIMENSIONS_MAX = 4096;

const field = z.string().min(1).max(256);
const value = z.union([z.number(), z.boolean(), z.string().max(VALUE_MAX)]);
const bound = z
  .union([z.number(), z.iso.datetime({ offset: true, local: true }), z.iso.date()])
  .nullable()
  .optional();

const Equal = z.strictObject({ type: z.literal('equal'), field, value }).meta({ id: 'Equal' });
const In = z.strictObject({ type: z.literal('in'), field, values: z.array(value).max(1000) }).meta({ id: 'In' });
const Range = z
  .strictObject({ type: z.literal('range'), field, gt: bound, gte: bound, lt: bound, lte: bound })
  .refine(({ gt, gte, lt, lte }) => [gt, gte, lt, lte].some((limit) => limit !== undefined && limit !== null), {
    error: 'a range needs gt, gte, lt or lte',
  })
  .meta({ id: 'Range' });
const And = z
  .strictObject({
    type: z.literal('and'),
    get matches() {
      return z.array(SearchFilter).max(FILTERS_MAX);
    },
  })
  .meta({ id: 'And' });
const Or = z
  .strictObject({
    type: z.literal('or'),
    get matches() {
      return z.array(SearchFilter).max(FILTERS_MAX);
    },
  })
  .meta({ id: 'Or' });
const Not = z
  .strictObject({
    type: z.literal('not'),
    get match() {
      return SearchFilter;
    },
  })
  .meta({ id: 'Not' });

const SearchFilter: z.ZodType<Filter> = z.lazy(() =>
  z.discriminatedUnion('type', [And, Equal, In, Not, Or, Range]),
) as never;

const filter = SearchFilter.nullable().optional();
const topK = (standard: number) => z.int().min(1).max(TOP_MAX).default(standard);

const KeywordRetriever = z
  .strictObject({
    type: z.literal('keyword'),
    query: z.string().min(1).max(QUERY_MAX),
    top_k: topK(20),
    operator: z.enum(['or', 'and']).default('or'),
    filter,
    field: field.nullable().optional(),
  })
  .meta({ id: 'KeywordRetriever' });

const NearestNeighbourRetriever = z
  .strictObject({
    type: z.literal('nearest_neighbour'),
    top_k: topK(20),
    query: z.string().min(1).max(QUERY_MAX).nullable().optional(),
    query_embedding: z.array(z.number()).min(1).max(DIMENSIONS_MAX).nullable().optional(),
    field: field.nullable().optional(),
    filter,
    max_candidates: z.int().min(1).max(10_000).nullable().optional(),
  })
  .refine(({ query, query_embedding }) => Boolean(query) !== Boolean(query_embedding), {
    error: 'send either query or query_embedding',
  })
  .meta({ id: 'NearestNeighbourRetriever' });

const SingleRetriever = z.discriminatedUnion('type', [KeywordRetriever, NearestNeighbourRetriever]);
export type SingleRetriever = z.infer<typeof SingleRetriever>;

const RRFRetriever = z
  .strictObject({
    type: z.literal('rrf'),
    retrievers: z.array(SingleRetriever).min(1).max(8),
    top_k: topK(20),
    weights: z.array(z.number().min(0).max(1000)).max(8).nullable().optional(),
    rank_constant: z.int().min(1).max(10_000).default(60),
    filter,
  })
  .refine(({ weights, retrievers }) => !weights || weights.length === retrievers.length, {
    error: 'weights needs one number for each retriever',
  })
  .meta({ id: 'RRFRetriever' });

export const SearchIndexRequest = z
  .strictObject({
    retriever: z.discriminatedUnion('type', [KeywordRetriever, NearestNeighbourRetriever, RRFRetriever]),
  })
  .meta({ id: 'SearchRequest' });
export type SearchIndexRequest = z.infer<typeof SearchIndexRequest>;

const sourceId = z.string().min(1).max(VALUE_MAX);
const contentType = z.string().min(1).max(64).default('content');
const offset = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const NavigateRequest = z
  .strictObject({
    source_id: sourceId,
    start_offset: offset,
    end_offset: offset,
    direction: z.enum(['next', 'previous']),
    top_k: topK(1),
    content_type: contentType,
  })
  .meta({ id: 'NavigateRequest' });
export type NavigateRequest = z.infer<typeof NavigateRequest>;

export const ReadRequest = z
  .strictObject({
    source_id: sourceId,
    start_offset: offset.nullable().optional(),
    end_offset: offset.nullable().optional(),
    top_k: topK(20),
    content_type: contentType,
  })
  .meta({ id: 'ReadRequest' });
export type ReadRequest = z.infer<typeof ReadRequest>;

export const GrepRequest = z
  .strictObject({
    source_id: sourceId,
    pattern: z.string().min(1).max(1000),
    mode: z.enum(['phrase', 'term']).default('phrase'),
    top_k: topK(5),
    content_type: contentType,
  })
  .meta({ id: 'GrepRequest' });
export type GrepRequest = z.infer<typeof GrepRequest>;

/** The fields of the index's schema stand beside these. */
const chunkFields = {
  id: z.string(),
  source_id: z.string(),
  locator: z.string(),
  start_offset: z.int().nullable(),
  end_offset: z.int().nullable(),
  chunk_type: z.string(),
  content: z.string(),
  parent_ref: z.string().nullable().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
};
const SearchChunk = z.looseObject(chunkFields).meta({ id: 'SearchChunkResponse' });
export type SearchChunk = z.infer<typeof SearchChunk>;
const NavigationChunk = z.looseObject(chunkFields).meta({ id: 'NavigationChunkResponse' });

const SearchHit = z
  .object({ chunk: SearchChunk, score: z.number(), index_name: z.string(), distance: z.number().nullable().optional() })
  .meta({ id: 'SearchHitResponse' });
export type SearchHit = z.infer<typeof SearchHit>;

export const SearchResponse = z.object({ hits: z.array(SearchHit) }).meta({ id: 'SearchResponse' });
export const NavigationResponse = z.object({ chunks: z.array(NavigationChunk) }).meta({ id: 'NavigationResponse' });
