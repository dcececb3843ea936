import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  Document,
  DocumentChunk,
  DocumentTextContent,
  Library,
  ListChunksResponse,
  ListDocumentsResponse,
  ListLibrariesResponse,
  ProcessingStatus,
  Sharing,
} from '../../../../src/libraries/schema.ts';
import { api } from '../../api/api.ts';

export type { Document, DocumentTextContent, Library, Sharing };

export const librariesKey = ['libraries'] as const;
export const pageSize = 50;
/** How often a document that is being read is looked at. */
const READING_MS = 1000;

export const libraryPath = (id: string) => `/v1/libraries/${encodeURIComponent(id)}`;
export const documentPath = (libraryId: string, id: string) =>
  `${libraryPath(libraryId)}/documents/${encodeURIComponent(id)}`;

/** Pages count from 0, as in the API. */
export const librariesQuery = (page: number, search: string) =>
  queryOptions({
    queryKey: [...librariesKey, 'list', page, search],
    queryFn: ({ signal }) =>
      api.get<ListLibrariesResponse>('/v1/libraries', {
        signal,
        query: { page, page_size: pageSize, ...(search ? { search } : {}) },
      }),
    placeholderData: keepPreviousData,
  });

export const libraryQuery = (id: string) =>
  queryOptions({
    queryKey: [...librariesKey, 'one', id],
    queryFn: ({ signal }) => api.get<Library>(libraryPath(id), { signal }),
  });

export type Sort = { by: string; order: string };

export const documentsQuery = (libraryId: string, page: number, search: string, { by, order }: Sort) =>
  queryOptions({
    queryKey: [...librariesKey, 'documents', libraryId, page, search, by, order],
    queryFn: ({ signal }) =>
      api.get<ListDocumentsResponse>(`${libraryPath(libraryId)}/documents`, {
        signal,
        query: { page, page_size: pageSize, sort_by: by, sort_order: order, ...(search ? { search } : {}) },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some(isReading) ? READING_MS : false),
  });

export const isReading = ({ processing_status }: Pick<Document, 'processing_status'>) =>
  processing_status === 'Running';

export const documentQuery = (libraryId: string, id: string) =>
  queryOptions({
    queryKey: [...librariesKey, 'document', libraryId, id],
    queryFn: ({ signal }) => api.get<Document>(documentPath(libraryId, id), { signal }),
    refetchInterval: ({ state }) => (state.data && isReading(state.data) ? READING_MS : false),
  });

export type Progress = { status: ProcessingStatus; progress: string | null; error: string | null };

/** How far a document is, and why it failed, are in headers. */
export const progressQuery = ({ library_id, id, process_status }: Document) =>
  queryOptions({
    queryKey: [...librariesKey, 'progress', id, process_status],
    queryFn: async ({ signal }): Promise<Progress> => {
      const response = await api.raw('GET', `${documentPath(library_id, id)}/status`, undefined, { signal });
      return {
        status: (await response.json()) as ProcessingStatus,
        progress: response.headers.get('tramontane-progress'),
        error: response.headers.get('tramontane-error'),
      };
    },
    refetchInterval: ({ state }) => (state.data && isReading(state.data.status) ? READING_MS : false),
  });

/** One page of the text, and what was left out of it; `page` counts from 0. */
export const textQuery = (document: Document, page: number) =>
  queryOptions({
    queryKey: [...librariesKey, 'text', document.id, document.last_processed_at, page],
    queryFn: ({ signal }) =>
      api.get<DocumentTextContent>(`${documentPath(document.library_id, document.id)}/text_content`, {
        signal,
        query: { page_start: page, page_end: page, left_out: true },
      }),
    placeholderData: keepPreviousData,
  });

export const sharesQuery = (id: string) =>
  queryOptions({
    queryKey: [...librariesKey, 'shares', id],
    queryFn: ({ signal }) => api.get<{ data: Sharing[] }>(`${libraryPath(id)}/share`, { signal }),
    select: ({ data }: { data: Sharing[] }) => data,
  });

export type Passage = DocumentChunk;

const CHUNKS_MAX = 1000;

/** The passages of one page; `page` counts from 0. */
export const chunksQuery = ({ id, library_id, last_processed_at }: Document, page: number) =>
  queryOptions({
    queryKey: [...librariesKey, 'chunks', id, last_processed_at, page],
    queryFn: ({ signal }) =>
      api.get<ListChunksResponse>(`${documentPath(library_id, id)}/chunks`, {
        signal,
        query: { page, limit: CHUNKS_MAX },
      }),
    placeholderData: keepPreviousData,
  });
