export { embeddingErrors } from './errors.ts';
export { embeddingRoutes } from './routes.ts';
export { createEmbeddingService, type EmbeddingService } from './service.ts';
