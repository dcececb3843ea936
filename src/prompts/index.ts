export { fillPlaceholders, findPlaceholders } from './find-variables.ts';
export { promptRoutes } from './routes.ts';
export type { Prompt } from './schema.ts';
export { createPromptService, type PromptService } from './service.ts';
