import type { IncomingHttpHeaders } from 'node:http';
import { createSecretHider } from '../../kit/base/hide-secrets.ts';
import { type RawReply, raw, type Scope } from '../../kit/http/index.ts';
import { OutboundTooLarge } from '../../kit/outbound/index.ts';
import { credentialsIn } from '../authorize.ts';
import { connectorErrors } from '../errors.ts';
import { explainFailure } from '../explain-failure.ts';
import type { Access } from '../find-access.ts';
import type { Target } from '../targets.ts';
import type { ConnectionService } from './connections.ts';

export type ForwardedRequest = {
  method: string;
  /** Below the address of the connector, decoded. */
  path: string;
  query: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  body: Uint8Array | undefined;
  credentialsName: string | undefined;
  signal: AbortSignal;
};

export type GatewayService = {
  /** One request to an HTTP connector, with credentials that the caller does not see. */
  forward(caller: Scope, idOrName: string, request: ForwardedRequest): Promise<RawReply>;
};

const BODY_BYTES_MAX = 16 * 1024 * 1024;
/** Ours, the connection's, or the business of the browser. */
const NOT_SENT =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|accept-encoding|authorization|x-api-key|cookie|forwarded|x-forwarded-.*|x-real-ip|x-credentials-name|idempotency-key|origin|referer|sec-.*)$/;
const NOT_RETURNED =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|content-encoding|set-cookie|x-request-id|mistral-correlation-id|access-control-.*|strict-transport-security|alt-svc)$/;

export function createGatewayService({ connections }: { connections: ConnectionService }): GatewayService {
  async function send(target: Target, access: Access, url: URL, request: ForwardedRequest) {
    const { method, body, signal } = request;
    const own = Object.fromEntries(access.headers);
    const given = Object.entries(request.headers).flatMap(([name, value]) =>
      NOT_SENT.test(name) || value === undefined || name in own ? [] : [[name, String(value)] as const],
    );
    const limit = AbortSignal.timeout(target.config.timeout_seconds * 1000);
    return target.outbound.fetch(url, {
      method,
      headers: { ...Object.fromEntries(given), ...own },
      body: body?.length ? body : undefined,
      signal: AbortSignal.any([signal, limit]),
      redirect: 'manual',
    });
  }

  return {
    async forward(caller, idOrName, request) {
      const { target, access } = await connections.enter(caller, idOrName, request.credentialsName);
      if (target.protocol !== 'http')
        throw connectorErrors.connector_request_invalid(
          `The connector '${target.config.id}' is an MCP server: its gateway is /v1/connectors-gateway/${target.id}/mcp.`,
        );
      const url = addressOf(target, request);
      let used = access;
      try {
        let response = await send(target, access, url, request);
        const renewed = response.status === 401 ? await access.renew?.() : undefined;
        if (renewed) {
          response.discard();
          used = renewed;
          response = await send(target, renewed, url, request);
        }
        const hide = createSecretHider(credentialsIn(target.config.url, used.headers));
        const headers = Object.entries(response.headers).flatMap(([name, value]) =>
          NOT_RETURNED.test(name) ? [] : [[name, hide.text(value)] as const],
        );
        const type = response.headers['content-type'] ?? 'application/octet-stream';
        const bytes = await readAll(response.body);
        // A server may repeat what it was sent.
        const body = /^(text\/|application\/(.*\+)?(json|xml|x-www-form-urlencoded))/i.test(type)
          ? hide.text(bytes.toString('utf8'))
          : bytes;
        return raw(body, type, Object.fromEntries(headers), response.status);
      } catch (error) {
        request.signal.throwIfAborted();
        throw explainFailure(error, target.config.id, target.config.timeout_seconds * 1000);
      }
    },
  };
}

function addressOf({ config }: Target, { path, query }: ForwardedRequest): URL {
  const parts = path.split('/');
  if (parts.some((part) => part === '.' || part === '..'))
    throw connectorErrors.connector_request_invalid('A path must not leave the address of the connector.');
  const url = new URL(config.url);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${parts.map(encodeURIComponent).join('/')}`;
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) url.searchParams.append(name, String(one));
  return url;
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let left = BODY_BYTES_MAX;
  for await (const chunk of body) {
    left -= chunk.length;
    if (left < 0) throw new OutboundTooLarge('The response is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
