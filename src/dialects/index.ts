export { anthropicErrorStyle } from './anthropic/render-error.ts';
export { dialectErrors } from './errors.ts';
export { openAiErrorStyle } from './openai/render-error.ts';
export { anthropicRoutes } from './routes/anthropic.ts';
export { openAiRoutes } from './routes/openai.ts';
export { openAiResponseRoutes } from './routes/openai-responses.ts';
export { openAiTranscriptionRoutes } from './routes/openai-transcriptions.ts';
export { responseRoutes } from './routes/responses.ts';
export { type AnthropicService, createAnthropicService } from './service/anthropic.ts';
export { createOpenAiService, type OpenAiService } from './service/openai.ts';
export { createOpenAiResponseService, type OpenAiResponseService } from './service/openai-responses.ts';
export {
  createOpenAiTranscriptionService,
  type OpenAiTranscriptionService,
} from './service/openai-transcriptions.ts';
export { createResponseService, type ResponseService } from './service/responses.ts';
