export type { Box, ChunkKind, NewChunk } from './chunk.ts';
export { retrievalErrors } from './errors.ts';
export type { Filter } from './search/filter.ts';
export type { DocumentIndex, DocumentRef, NewDocument, Progress } from './service/document-index.ts';
export {
  createRetrievalService,
  type RetrievalPorts,
  type RetrievalService,
} from './service/retrieval-service.ts';
export type { FoundChunk, Hit, Rerank, Search, SearchMode, SearchRequest } from './service/search.ts';
export type { CollectionRef } from './store/collections.ts';
