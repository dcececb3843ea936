export { mcpErrors } from './errors.ts';
export { mcpRoutes } from './routes/mcp.ts';
export { publicationRoutes } from './routes/publication.ts';
export { createMcpService } from './service/mcp-service.ts';
export { createPublication, type PublicationService } from './service/publication.ts';
export type { McpTransport } from './transport/transport.ts';
export type { ChangedList, WatchLists } from './transport/watcher.ts';
export { createListWatch } from './watch-lists.ts';
