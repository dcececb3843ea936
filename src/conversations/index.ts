export { conversationErrors } from './errors.ts';
export { conversationRoutes } from './routes.ts';
export type { OpenTools, ServerTool, Toolbox, ToolResult, ToolUse } from './run/toolbox.ts';
export type { Speaker } from './schema/run.ts';
export { type ConversationPorts, type ConversationService, createConversationService } from './service.ts';
export { createTools } from './tools/create-tools.ts';
export type { ImageConfig, SaveFile } from './tools/image-generation.ts';
export { createFileSaver } from './tools/save-tool-file.ts';
export { createSearch, ownSearchAddress } from './tools/search-providers.ts';
