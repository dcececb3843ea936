export { promptRoutes } from './routes.ts';
export { createPromptService, type PromptService } from './service.ts';
