import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import type { Logger } from '../kit/base/log.ts';
import { createBoundedFetch } from '../kit/outbound/index.ts';
import { loadClientLibrary } from './client-library.ts';
import { connectorErrors } from './errors.ts';
import { ExtendedOAuthServerMetadata, type StoredAuthMethod } from './schema/auth-methods.ts';
import type { Target } from './targets.ts';

export type AuthorizationServer = {
  url: string;
  metadata: AuthorizationServerMetadata;
  /** What a token is for, RFC 8707. */
  resource: string | undefined;
  scope: string | undefined;
  method: StoredAuthMethod | undefined;
};

/** Some servers let everybody begin, and want a token only for what comes then. */
const PROBES = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tramontane', version: '1' } },
  },
  { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
];

/** What the creator gave, else what the server says: RFC 9728 for the resource, RFC 8414 for its authorization server. */
export async function findAuthorizationServer(target: Target, log: Logger): Promise<AuthorizationServer> {
  const method = target.row?.auth_methods?.find(
    ({ method_type, grant_type }) => method_type === 'oauth2' && grant_type !== 'client_credentials',
  );
  const given = method?.oauth2_server_metadata;
  if (given)
    return {
      url: given.issuer,
      metadata: { response_types_supported: ['code'], ...withoutNulls(given) } as AuthorizationServerMetadata,
      resource: given.x_resource_url ?? undefined,
      scope: given.x_scope ?? undefined,
      method,
    };
  const library = await loadClientLibrary();
  const fetchFn = createBoundedFetch(target.outbound);
  const { url: server } = target.config;
  try {
    const challenge = await askForChallenge(target);
    const found = await library.discoverOAuthServerInfo(server, {
      fetchFn,
      ...(challenge.resourceMetadataUrl ? { resourceMetadataUrl: challenge.resourceMetadataUrl } : {}),
    });
    const { authorizationServerMetadata: metadata, authorizationServerUrl: url, resourceMetadata } = found;
    if (!metadata) throw new Error('The server names no authorization server.');
    const requestedResource = library.resourceUrlFromServerUrl(server);
    const configuredResource = resourceMetadata?.resource;
    if (configuredResource && !library.checkResourceAllowed({ requestedResource, configuredResource }))
      throw new Error('The metadata of the protected resource are for another resource.');
    const scope = challenge.scope ?? resourceMetadata?.scopes_supported?.join(' ');
    return { url, metadata, resource: configuredResource, scope, method };
  } catch (error) {
    log.info({ err: error, connector: target.id }, 'a connector has no usable authorization server');
    throw unavailable(target, 'its server does not say where to sign in', error);
  }
}

/** A server that wants a token says with its 401 where its metadata are, and which scope it wants. */
async function askForChallenge({
  config,
  outbound,
  protocol,
}: Target): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const library = await loadClientLibrary();
  const ask = createBoundedFetch(outbound);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  for (const message of protocol === 'mcp' ? PROBES : [undefined]) {
    const init = message ? { method: 'POST', headers, body: JSON.stringify(message) } : {};
    const response = await ask(config.url, init);
    if (response.status === 401) return library.extractWWWAuthenticateParams(response);
  }
  return {};
}

/** For clients: the members that the API knows. */
export function showMetadata({ metadata, resource, scope }: AuthorizationServer) {
  const known = ExtendedOAuthServerMetadata.strip().safeParse(metadata);
  if (!known.success) return null;
  return {
    ...known.data,
    x_source: 'autodiscovery' as const,
    x_resource_url: resource ?? null,
    x_scope: scope ?? null,
  };
}

export function unavailable({ config }: Target, why: string, cause?: unknown) {
  return connectorErrors.connector_oauth_unavailable(`Nobody can sign in to the connector '${config.id}': ${why}.`, {
    cause,
  });
}

function withoutNulls(record: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined));
}
