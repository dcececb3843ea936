import type { AnyRoute } from '../../kit/http/index.ts';
import type { ConnectorService } from '../service/index.ts';
import { bootstrapRoutes } from './bootstrap.ts';
import { catalogueRoutes } from './connectors.ts';
import { credentialRoutes } from './credentials.ts';
import { toolRoutes } from './tools.ts';
import { useRoutes } from './uses.ts';

export function connectorRoutes(connectors: ConnectorService): AnyRoute[] {
  return [
    ...bootstrapRoutes(connectors),
    ...catalogueRoutes(connectors),
    ...credentialRoutes(connectors),
    ...toolRoutes(connectors),
    ...useRoutes(connectors),
  ];
}
