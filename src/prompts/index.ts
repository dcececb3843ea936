export type { FilledPrompt } from './fill-prompt.ts';
export { isReference, parseReference } from './parse-reference.ts';
export { promptRoutes } from './routes.ts';
export { createPromptService, type PromptService } from './service.ts';
