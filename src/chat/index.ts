export { GuardrailConfig, GuardrailRefusal } from '../guardrails/index.ts';
export { isToolSchema, refuseExpensiveSchemas } from './check-schemas.ts';
export { chatErrors } from './errors.ts';
export { chatRoutes } from './routes.ts';
export {
  BuiltInConnectors,
  DocumentURLChunk,
  FileChunk,
  ImageURLChunk,
  TextChunk,
  ThinkChunk,
  ToolFileChunk,
  ToolReferenceChunk,
  typedObject,
} from './schema/content.ts';
export type { Message, ToolCall } from './schema/messages.ts';
export { ChatCompletionRequest, CompletionArgs, ResponseFormat } from './schema/requests.ts';
export { ChatCompletionResponse, CompletionEvent } from './schema/responses.ts';
export { AgentTool } from './schema/tools.ts';
export { type ChatPorts, type ChatService, createChatService } from './service.ts';
export type { Turn } from './turn.ts';
