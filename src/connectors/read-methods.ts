import type { Logger } from '../kit/base/log.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import { connectorErrors } from './errors.ts';
import type {
  AuthData,
  ChangedAuthMethod,
  ExtendedOAuthServerMetadata,
  GlobalHeaders,
  StoredAuthMethod,
} from './schema/auth-methods.ts';
import { sealText } from './seal-credentials.ts';
import { headerPlace } from './targets.ts';

type Sealing = { box: SecretBox; log: Logger };

export function clientPlace(connectorId: string): string {
  return `connector ${connectorId} client`;
}

/** The methods as they are stored. Undefined members of older clients are dropped. */
export function readMethods(
  { box, log }: Sealing,
  connectorId: string,
  methods: readonly ChangedAuthMethod[],
): StoredAuthMethod[] {
  const seal = (client: AuthData) => sealText(box, log, JSON.stringify(client), clientPlace(connectorId));
  return methods.map((method): StoredAuthMethod => {
    const { method_type, headers } = method;
    if (method_type === 'bearer' || method_type === 'none') return { method_type, headers };
    if (method_type !== 'oauth2')
      throw connectorErrors.connector_request_invalid(
        `auth_methods: this server has no ${method_type}. Use oauth2, bearer or none.`,
      );
    const metadata = method.oauth2_server_metadata ?? undefined;
    if ('grant_type' in method) {
      const { grant_type } = method;
      const common = { method_type, headers, grant_type, oauth2_server_metadata: provided(metadata) };
      if (method.grant_type === 'authorization_code') return { ...common, client: seal(method.auth_data) };
      return { ...common, token_endpoint_auth_method: method.token_endpoint_auth_method };
    }
    const { client_id, client_secret } = ('oauth2_metadata_secrets' in method && method.oauth2_metadata_secrets) || {};
    return {
      method_type,
      headers,
      grant_type: 'authorization_code',
      oauth2_server_metadata: provided(metadata),
      ...(client_id ? { client: seal({ client_id, client_secret }) } : {}),
    };
  });
}

/** From the fields of a creation that name an OAuth server without listing methods; null: ask the server itself. */
export function methodsOfCreation(
  sealing: Sealing,
  connectorId: string,
  request: {
    auth_methods?: ChangedAuthMethod[] | null | undefined;
    auth_data?: AuthData | null | undefined;
    oauth2_server_metadata?: ExtendedOAuthServerMetadata | null | undefined;
  },
): StoredAuthMethod[] | null {
  const { auth_methods, auth_data, oauth2_server_metadata } = request;
  if (auth_methods) {
    if (auth_data || oauth2_server_metadata)
      throw connectorErrors.connector_request_invalid(
        'Give auth_methods, or auth_data with oauth2_server_metadata, but not both.',
      );
    return readMethods(sealing, connectorId, auth_methods);
  }
  if (!auth_data && !oauth2_server_metadata) return null;
  const { box, log } = sealing;
  return [
    {
      method_type: 'oauth2',
      grant_type: 'authorization_code',
      oauth2_server_metadata: provided(oauth2_server_metadata ?? undefined),
      ...(auth_data ? { client: sealText(box, log, JSON.stringify(auth_data), clientPlace(connectorId)) } : {}),
    },
  ];
}

export function sealHeaders({ box, log }: Sealing, connectorId: string, headers: GlobalHeaders): GlobalHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { is_secret, value }]) => [
      name,
      { is_secret, value: is_secret ? sealText(box, log, value, headerPlace(connectorId, name)) : value },
    ]),
  );
}

function provided(metadata: ExtendedOAuthServerMetadata | undefined) {
  return metadata && { ...metadata, x_source: metadata.x_source ?? ('provided' as const) };
}
