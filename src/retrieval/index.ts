export { retrievalErrors } from './errors.ts';
export { searchIndexRoutes } from './routes/indexes.ts';
export { ragRoutes } from './routes/rag.ts';
export type { Box, ChunkKind, NewChunk } from './schema/chunk.ts';
export type { Filter } from './schema/filter.ts';
export type { DocumentIndex, DocumentRef, NewDocument, Progress } from './service/document-index.ts';
export type { Summarize } from './service/index-service.ts';
export {
  createRetrievalService,
  type RetrievalPorts,
  type RetrievalService,
} from './service/retrieval-service.ts';
export type { FoundChunk, Hit, Search, SearchMode, SearchRequest } from './service/search.ts';
export type { CollectionRef } from './store/collections.ts';
export { findVectorExtension } from './store/nearest.ts';
