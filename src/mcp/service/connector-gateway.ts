import type { ConnectorService } from '../../connectors/index.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { RawReply, RequestContext } from '../../kit/http/index.ts';
import { noteProxyError } from '../note-proxy-error.ts';
import type { McpTransport } from '../transport/transport.ts';

export type ConnectorGateway = Pick<McpTransport, 'post'> & {
  /** One request to an HTTP API. */
  forward(context: RequestContext, method: string): Promise<RawReply>;
};

/** Connectors for clients that call their tools by themselves. Few do, so the first request loads the protocol's library. */
export function createConnectorGateway(options: {
  connectors: ConnectorService;
  version: string;
  log: Logger;
}): ConnectorGateway {
  let opened: Pick<McpTransport, 'post'> | undefined;
  return {
    async post(context) {
      if (!opened) {
        const { openConnectorGateway } = await import('./open-connector-gateway.ts');
        opened ??= openConnectorGateway(options);
      }
      return opened.post(context);
    },
    async forward(context, method) {
      const { scope, params, query, headers, body, signal } = context;
      const { connector_id, '*': path } = params as { connector_id: string; '*': string };
      const name = headers['x-credentials-name'];
      try {
        return await options.connectors.gateway.forward(scope, connector_id, {
          method,
          path,
          query: query as Record<string, unknown>,
          headers,
          body: body as Uint8Array | undefined,
          credentialsName: typeof name === 'string' && name !== '' ? name : undefined,
          signal,
        });
      } catch (error) {
        throw noteProxyError(error, context);
      }
    },
  };
}
