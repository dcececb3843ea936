import { chooseCredentials } from './find-access.ts';
import type { GlobalHeaders, PublicAuthenticationMethod } from './schema/auth-methods.ts';
import type { Connector } from './schema/connectors.ts';
import type { AuthenticationConfiguration, ConsumerType } from './schema/credentials.ts';
import type { ConnectorRow, CredentialsRow, PreferencesRow } from './store/tables.ts';
import type { Target } from './targets.ts';

const HIDDEN = '********';
/** A connector of the configuration has no times of its own. */
const DECLARED_AT = '1970-01-01T00:00:00.000000Z';

/** As a consumer sees it, with the consumer's own credentials and preferences, and never a secret. */
export function showConnector(
  target: Target,
  preferences: readonly PreferencesRow[],
  credentials: readonly CredentialsRow[],
): Connector {
  const { row, config } = target;
  const blocked_by = preferences.flatMap(({ active, consumer_type }): ConsumerType[] =>
    active ? [] : [consumer_type],
  );
  const connection_preferences = preferences.flatMap(({ tool_configuration, consumer_type }) =>
    tool_configuration ? [{ name: consumer_type, tool_configuration, is_default: true, consumer_type }] : [],
  );
  const common = {
    active: blocked_by.length === 0,
    blocked_by,
    connection_preferences,
    connection_credentials: credentials.map(showCredentials),
    private_tool_execution: false,
    mistral: false,
    is_authenticated: isAuthenticated(row, credentials),
    supports_mcp: true,
  };
  if (!row)
    return {
      id: config.id,
      name: config.id,
      title: null,
      description: config.description ?? '',
      created_at: DECLARED_AT,
      modified_at: DECLARED_AT,
      server: null,
      protocol: target.protocol,
      icon_url: null,
      owner_id: null,
      owner_type: 'system',
      visibility: 'shared_global',
      creator_id: null,
      system_prompt: null,
      supported_auth_methods: [],
      ...common,
    };
  const { id, name, title, description, created_at, modified_at, server, protocol, icon_url } = row;
  const owner =
    row.visibility === 'private'
      ? { owner_id: row.creator_id, owner_type: 'user' as const }
      : row.visibility === 'shared_org'
        ? { owner_id: row.organization_id, owner_type: 'org' as const }
        : { owner_id: row.workspace_id, owner_type: 'workspace' as const };
  return {
    ...{ id, name, title, description, created_at, modified_at, server, protocol, icon_url },
    ...owner,
    visibility: row.visibility,
    creator_id: row.creator_id,
    system_prompt: row.system_prompt,
    supported_auth_methods: showMethods(row),
    ...(row.protocol === 'http' ? { openapi_spec: row.openapi && { source: row.openapi.source } } : {}),
    ...common,
    supports_mcp: row.protocol === 'mcp' || row.openapi !== null,
  };
}

export function showMethods({ auth_methods, global_headers }: ConnectorRow): PublicAuthenticationMethod[] {
  return (auth_methods ?? []).map(
    ({ method_type, headers, grant_type, oauth2_server_metadata, client, ...method }) => ({
      method_type,
      headers: headers ?? null,
      token_endpoint_auth_method: method.token_endpoint_auth_method ?? null,
      global_headers: hideValues(global_headers),
      has_default_credentials: client !== undefined,
      grant_type: grant_type ?? null,
      oauth2_server_metadata: oauth2_server_metadata ?? null,
    }),
  );
}

function hideValues(headers: GlobalHeaders): GlobalHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { is_secret, value }]) => [
      name,
      { is_secret, value: is_secret ? HIDDEN : value },
    ]),
  );
}

export function showCredentials(row: CredentialsRow): AuthenticationConfiguration {
  const { name, title, authentication_type, consumer_type: scope, is_default, creator_id } = row;
  const { status_type, checked_at, error_message, error_http_code } = row;
  const status = { status_type, last_checked_at: checked_at, error_http_code, error_message };
  return { name, title, authentication_type, scope, status, is_default, creator_id };
}

/** Null where only the server knows whether it needs credentials. */
function isAuthenticated(row: ConnectorRow | undefined, credentials: readonly CredentialsRow[]): boolean | null {
  const chosen = chooseCredentials(credentials);
  if (chosen) return chosen.status_type !== 'invalid';
  if (!row) return true;
  if (!row.auth_methods) return null;
  return row.auth_methods.some(({ method_type }) => method_type === 'none') || row.auth_methods.length === 0;
}
