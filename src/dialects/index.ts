export { anthropicErrorStyle } from './anthropic/render-error.ts';
export { dialectErrors } from './errors.ts';
export { openAiErrorStyle } from './openai/render-error.ts';
export { anthropicRoutes } from './routes/anthropic.ts';
export { openAiRoutes } from './routes/openai.ts';
export { responseRoutes } from './routes/responses.ts';
export { type AnthropicService, createAnthropicService } from './service/anthropic.ts';
export { createOpenAiService, type OpenAiService } from './service/openai.ts';
export { createResponseService, type ResponseService } from './service/responses.ts';
