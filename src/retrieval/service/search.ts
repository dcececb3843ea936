import type { EmbeddingService } from '../../embeddings/index.ts';
import type { Database } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import type { Call } from '../../metering/index.ts';
import type { ModelService } from '../../models/index.ts';
import { tenantOf } from '../../tenants/index.ts';
import { retrievalErrors } from '../errors.ts';
import { type Box, type ChunkKind, collectionOf } from '../schema/chunk.ts';
import type { Filter } from '../schema/filter.ts';
import type { CandidateQuery, Candidates, CollectionQuery, SetQuery } from '../search/candidate-query.ts';
import type { CandidateFinder } from '../search/create-candidate-finder.ts';
import { fuseRanks } from '../search/fuse-ranks.ts';
import { type CollectionRef, findSearched, type SearchedCollection } from '../store/collections.ts';
import { type FoundDocument, listChunks, readChunks } from '../store/documents.ts';
import { normalize } from '../store/encode-vectors.ts';
import type { ChunkRow, CollectionRow, SetRow } from '../store/tables.ts';
import type { Scored } from '../store/text.ts';
import { queryTerms } from '../text/index-words.ts';
import type { Rerank } from './create-reranker.ts';
import { isCustom } from './vector-sets.ts';
import type { ModelWatch } from './watch-models.ts';

export type SearchMode = 'hybrid' | 'text' | 'vector';

export type FoundChunk = {
  position: number;
  text: string;
  kind: ChunkKind;
  headings: string[];
  page: number | null;
  boxes: Box[];
  start_offset: number | null;
  end_offset: number | null;
  fields: Record<string, unknown> | null;
};

export type Hit = FoundChunk & {
  /** Unique in its collection, and the same after the document was indexed again. */
  chunkId: string;
  documentId: string;
  title: string;
  attributes: Record<string, unknown>;
  collectionId: string;
  workspaceId: string;
  /** Null where this kind of search did not find it, or was not asked for. */
  scores: { text: number | null; vector: number | null; fused: number; rerank: number | null };
  /** The chunk that holds this one. */
  parent: FoundChunk | null;
  neighbours: { before: FoundChunk[]; after: FoundChunk[] };
};

export type SearchRequest = {
  collections: CollectionRef[];
  query: string;
  limit: number;
  mode: SearchMode;
  filter?: Filter | undefined;
  /** Lets the reranking model put the best candidates in order. */
  rerank?: boolean | undefined;
  /** So many chunks before and after each hit come with it. */
  neighbours?: number | undefined;
  /** Every word must be there, instead of any. */
  needsAll?: boolean | undefined;
  /** The query's vector, for collections whose vectors are made elsewhere. */
  vector?: number[] | undefined;
  /** How the two lists count against each other, and how much their first places do. */
  fusion?: { text: number; vector: number; rankConstant: number } | undefined;
  /** Who searches, and pays for the query's embedding. */
  caller: Call;
};

export type Search = (request: SearchRequest) => Promise<Hit[]>;

const CANDIDATES_MIN = 50;
const CANDIDATES_FACTOR = 3;
const RERANKED_MAX = 40;
const QUERY_CHARACTERS_MAX = 8000;
/** Against 1 for vectors, which also find what is said in another language. */
const TEXT_WEIGHT = 0.7;

export function createSearch(ports: {
  database: Database;
  finder: CandidateFinder;
  models: Pick<ModelService, 'find'>;
  embeddings: EmbeddingService;
  rerank: Rerank;
  watch: ModelWatch;
}): Search {
  const { finder, models, embeddings, rerank, watch } = ports;
  const { db } = ports.database;

  return async (request) => {
    const query = request.query.slice(0, QUERY_CHARACTERS_MAX).trim();
    if (query === '' && !request.vector) throw retrievalErrors.nothing_to_search_for();
    const collections = await findCollections(request.collections);
    const limit = Math.max(CANDIDATES_MIN, request.limit * CANDIDATES_FACTOR);
    const planned: CandidateQuery = {
      collections: await planCollections(collections, query, request),
      needsAll: request.needsAll ?? false,
      filter: request.filter ?? null,
      limit,
    };
    const { scope, signal } = request.caller;
    const candidates = await finder.find(tenantOf(scope), planned, signal);
    const wanted = request.rerank ? Math.max(RERANKED_MAX, request.limit) : request.limit;
    const hits = await readHits(collections, candidates, request, { wanted, limit });
    const ranked = request.rerank ? await putInOrder(hits, query, request) : hits;
    return addSurroundings(ranked.slice(0, request.limit), request.neighbours ?? 0);
  };

  async function findCollections(refs: CollectionRef[]): Promise<SearchedCollection[]> {
    const rows = await Promise.all(refs.map((ref) => findSearched(db, ref)));
    return rows.filter((row) => row !== undefined);
  }

  async function planCollections(
    collections: SearchedCollection[],
    query: string,
    request: SearchRequest,
  ): Promise<CollectionQuery[]> {
    const vectors = new Map<string, Promise<Float32Array | null>>();
    return Promise.all(
      collections.map(async (collection) => ({
        no: collection.no,
        span: collection.next_chunk,
        terms: request.mode === 'vector' ? [] : await queryTerms(collection.no, collection.languages, query),
        set: request.mode === 'text' ? null : await planSet(collection, query, request, vectors),
      })),
    );
  }

  async function planSet(
    { set }: SearchedCollection,
    query: string,
    request: SearchRequest,
    vectors: Map<string, Promise<Float32Array | null>>,
  ): Promise<SetQuery | null> {
    if (!set) return orRefuse(request, retrievalErrors.vectors_unavailable());
    // Nothing has been embedded yet.
    if (set.dimensions === null) return null;
    if (!request.vector && isCustom(set.model)) return orRefuse(request, retrievalErrors.query_vector_needed());
    if (request.vector && request.vector.length !== set.dimensions)
      throw retrievalErrors.vector_length_differs(request.vector.length, set.dimensions);
    const making = vectors.get(set.model) ?? embedQuery(set.model, query, request);
    vectors.set(set.model, making);
    const vector = await making;
    return vector && { no: set.no, vector, index: indexOf(set.nearest) };
  }

  function orRefuse(request: SearchRequest, error: ApiError): null {
    if (request.mode === 'vector') throw error;
    return null;
  }

  async function embedQuery(model: string, query: string, request: SearchRequest): Promise<Float32Array | null> {
    if (request.vector) return normalize(request.vector);
    const { caller } = request;
    if (!models.find(model, caller.scope.workspace_id, 'embeddings'))
      return orRefuse(request, retrievalErrors.vectors_unavailable());
    try {
      const { data } = await embeddings.embed(caller, {
        model,
        input: query,
        output_dtype: 'float',
        encoding_format: 'float',
      });
      watch.there(model);
      return normalize(data[0]?.embedding as number[]);
    } catch (error) {
      // A model that is not there for the moment leaves the words to search for.
      if (request.mode === 'vector' || !(error instanceof ApiError) || error.status < 500) throw error;
      watch.missing(model, error);
      return null;
    }
  }

  async function readHits(
    collections: CollectionRow[],
    { text, vector }: Candidates,
    { fusion }: SearchRequest,
    { wanted, limit }: { wanted: number; limit: number },
  ): Promise<(Hit & { row: ChunkRow })[]> {
    const lists = [
      { list: text, weight: fusion?.text ?? TEXT_WEIGHT },
      { list: vector, weight: fusion?.vector ?? 1 },
    ];
    const fused = fuseRanks(lists, fusion?.rankConstant).slice(0, limit);
    const rows = new Map<number, Awaited<ReturnType<typeof readChunks>>[number]>();
    // Only what is wanted is read; chunks of documents that were removed a moment ago are missing, and others follow.
    for (let from = 0; from < fused.length && rows.size < wanted; from += wanted) {
      const ids = fused.slice(from, from + wanted).map(({ id }) => id);
      for (const row of await readChunks(db, ids)) rows.set(row.id, row);
    }
    const byNo = new Map(collections.map((collection) => [collection.no, collection]));
    const textScores = scoresById(text);
    const vectorScores = scoresById(vector);
    return fused.flatMap(({ id, score }) => {
      const row = rows.get(id);
      const collection = byNo.get(collectionOf(id));
      if (!row || !collection) return [];
      const scores = {
        text: textScores.get(id) ?? null,
        vector: vectorScores.get(id) ?? null,
        fused: score,
        rerank: null,
      };
      return { ...toHit(collection, row), scores, row };
    });
  }

  async function putInOrder<H extends Hit>(hits: H[], query: string, { caller }: SearchRequest): Promise<H[]> {
    const best = hits.slice(0, RERANKED_MAX);
    const relevance = await rerank(
      caller,
      query,
      best.map(({ text }) => text),
    );
    if (!relevance) return hits;
    const scored = best.map((hit, i) => ({ ...hit, scores: { ...hit.scores, rerank: relevance[i] as number } }));
    const ordered = scored.sort((a, b) => b.scores.rerank - a.scores.rerank);
    return [...ordered, ...hits.slice(RERANKED_MAX)];
  }

  async function addSurroundings(hits: (Hit & { row: ChunkRow })[], neighbours: number): Promise<Hit[]> {
    const parents = await readChunks(
      db,
      hits.flatMap(({ row }) => row.parent ?? []),
    );
    const byId = new Map(parents.map((row) => [row.id, row]));
    return Promise.all(
      hits.map(async ({ row, ...hit }) => {
        const parent = row.parent === null ? undefined : byId.get(row.parent);
        const around =
          neighbours > 0
            ? await listChunks(
                db,
                Math.max(row.document, row.id - neighbours),
                neighbours * 2 + 1,
                row.id + neighbours + 1,
              )
            : [];
        const same = around.filter(({ document }) => document === row.document);
        return {
          ...hit,
          parent: parent ? toChunk(parent) : null,
          neighbours: {
            before: same.filter(({ id }) => id < row.id).map(toChunk),
            after: same.filter(({ id }) => id > row.id).map(toChunk),
          },
        };
      }),
    );
  }
}

function indexOf(nearest: SetRow['nearest']): SetQuery['index'] {
  if (nearest === 'signs') return 'signs';
  return nearest === 'ready' ? 'vectors' : null;
}

const scoresById = (list: Scored[]) => new Map(list.map(({ id, score }) => [id, score]));

export const chunkIdOf = (documentId: string, position: number): string => `${documentId}:${position}`;

export function toChunk(row: ChunkRow): FoundChunk {
  const { position, text, kind, headings, page, boxes, start_offset, end_offset, fields } = row;
  return { position, text, kind, headings, page, boxes, start_offset, end_offset, fields };
}

function toHit({ collection_id, workspace_id }: CollectionRow, row: ChunkRow & FoundDocument): Omit<Hit, 'scores'> {
  return {
    ...toChunk(row),
    chunkId: chunkIdOf(row.document_id, row.position),
    documentId: row.document_id,
    title: row.title,
    attributes: row.attributes,
    collectionId: collection_id,
    workspaceId: workspace_id,
    parent: null,
    neighbours: { before: [], after: [] },
  };
}
