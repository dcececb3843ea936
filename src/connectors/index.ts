export type { Authorization, ConnectorConfig, ConnectorResult, ConnectorTool, ResultPart } from './schema.ts';
export { type Connection, type ConnectorService, createConnectorService, type Inspection } from './service.ts';
