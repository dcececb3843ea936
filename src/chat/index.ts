export { GuardrailConfig, GuardrailRefusal } from '../guardrails/index.ts';
export { isToolSchema, refuseExpensiveSchemas } from './check-schemas.ts';
export { chatErrors } from './errors.ts';
export type { AudioListener } from './hear-audio.ts';
export type { DocumentChunk, DocumentReader, ReadDocument } from './read-documents.ts';
export { isPlain, padChunk } from './relay/pad-chunk.ts';
export { type StreamWriter, toShown } from './relay/relay-stream.ts';
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
export {
  CALL_ID_CHARACTERS_MAX,
  DESCRIPTION_CHARACTERS_MAX,
  GUARDRAILS_MAX,
  INSTRUCTIONS_CHARACTERS_MAX,
  MODEL_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  TOOL_NAMES_MAX,
} from './schema/limits.ts';
export { Message, type ToolCall } from './schema/messages.ts';
export { ChatCompletionRequest, CompletionArgs, FIMCompletionRequest, ResponseFormat } from './schema/requests.ts';
export { ChatCompletionResponse, CompletionEvent } from './schema/responses.ts';
export { AgentTool, AgentTools } from './schema/tools.ts';
export {
  type ChatPorts,
  type ChatService,
  type CompletionHead,
  type CreateWriter,
  createChatService,
  type Render,
  type Shown,
} from './service.ts';
export type { Turn } from './turn.ts';
