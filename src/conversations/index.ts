export { conversationRoutes } from './routes.ts';
export type { OpenTools, ServerTool, Toolbox, ToolResult, ToolUse } from './run/tools.ts';
export type { Speaker } from './schema/run.ts';
export { type ConversationPorts, type ConversationService, createConversationService } from './service.ts';
