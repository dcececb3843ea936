export { promptErrors } from './errors.ts';
export { fillPlaceholders, findPlaceholders } from './find-variables.ts';
export { matchReference, parseReference } from './parse-reference.ts';
export { promptRoutes } from './routes.ts';
export { isReference, type Prompt } from './schema.ts';
export { createPromptService, type PromptService } from './service.ts';
