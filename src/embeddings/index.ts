export { embeddingRoutes } from './routes.ts';
export { createEmbeddingService, type EmbeddingService } from './service.ts';
