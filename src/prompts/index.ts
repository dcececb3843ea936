export type { FilledPrompt } from './fill-prompt.ts';
export { fillPlaceholders, findPlaceholders } from './find-variables.ts';
export { isReference, matchReference, parseReference } from './parse-reference.ts';
export { promptRoutes } from './routes.ts';
export type { Prompt } from './schema.ts';
export { createPromptService, type PromptService } from './service.ts';
