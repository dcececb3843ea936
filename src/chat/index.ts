export { chatRoutes } from './routes.ts';
export { type ChatPorts, type ChatService, createChatService } from './service.ts';
