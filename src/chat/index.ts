export type { Meter, Reservation, UsageRecord } from './meter.ts';
export { chatRoutes } from './routes.ts';
export { type ChatPorts, type ChatService, createChatService } from './service.ts';
