export { modelRoutes } from './routes.ts';
export { createModelService, type Model, type ModelService } from './service.ts';
