import { createLazyRoute } from '@tanstack/react-router';
import { ConnectorPage } from './connector-page.tsx';
import { ConnectorsPage } from './connectors-page.tsx';

export const list = createLazyRoute('/shell/connectors')({ component: ConnectorsPage });
export const connector = createLazyRoute('/shell/connectors/$connectorId')({ component: ConnectorPage });
