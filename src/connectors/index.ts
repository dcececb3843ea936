export type { Connection } from './connection.ts';
export { connectorErrors } from './errors.ts';
export { reasonOfEnd } from './explain-failure.ts';
export type { StartProgram } from './open-program-session.ts';
export { type Resealed, resealSecrets } from './reseal-secrets.ts';
export { connectorRoutes } from './routes/index.ts';
export type {
  Authorization,
  ConnectorConfig,
  ConnectorResult,
  ConnectorTool,
  ResultPart,
} from './schema/connections.ts';
export { type ConnectionService, createConnectionService, type Inspection } from './service/connections.ts';
export { type ConnectorService, createConnectorService } from './service/index.ts';
export { deleteOfUser } from './store/credentials.ts';
export type { Consumer } from './store/tables.ts';
