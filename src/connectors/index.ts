export type { Connection } from './connection.ts';
export { connectorErrors } from './errors.ts';
export { connectorRoutes } from './routes.ts';
export type { Authorization, ConnectorConfig, ConnectorResult, ConnectorTool, ResultPart } from './schema.ts';
export { type ConnectorService, createConnectorService, type Inspection } from './service.ts';
