export { publicationRoutes } from './publication/routes.ts';
export { createPublication, type PublicationService } from './publication/service.ts';
export { mcpRoutes } from './routes.ts';
export { createMcpService } from './service.ts';
export type { ChangedList, WatchLists } from './transport/changes.ts';
export { createMcpTransport, type McpTransport } from './transport/transport.ts';
export { createListWatch } from './watch-lists.ts';
