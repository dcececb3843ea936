export { chatRoutes } from './routes.ts';
export { createChatService } from './service.ts';
