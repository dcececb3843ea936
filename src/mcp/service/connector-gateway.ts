import type { ConnectorService } from '../../connectors/index.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { McpTransport } from '../transport/transport.ts';

export type ConnectorGateway = Pick<McpTransport, 'post'>;

/** Connectors for clients that call their tools by themselves. Few do, so the first request loads the protocol's library. */
export function createConnectorGateway(options: {
  connectors: ConnectorService;
  version: string;
  log: Logger;
}): ConnectorGateway {
  let opened: ConnectorGateway | undefined;
  return {
    async post(context) {
      if (!opened) {
        const { openConnectorGateway } = await import('./open-connector-gateway.ts');
        opened ??= openConnectorGateway(options);
      }
      return opened.post(context);
    },
  };
}
