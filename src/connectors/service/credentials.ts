import { isoMicros } from '../../kit/base/clock.ts';
import type { Tx } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { connectorErrors } from '../errors.ts';
import { clientPlace } from '../read-methods.ts';
import { revokeGrant } from '../revoke-grant.ts';
import type { AuthData, StoredAuthMethod } from '../schema/auth-methods.ts';
import type {
  ConnectionCredentialsInput,
  ConsumerScope,
  CredentialsCreateOrUpdate,
  CredentialsQuery,
  CredentialsResponse,
  MessageResponse,
  StoredGrant,
  StoredSecret,
} from '../schema/credentials.ts';
import { credentialsPlace, openSecret, sealText } from '../seal-credentials.ts';
import { showCredentials } from '../show-connector.ts';
import {
  clearDefaults,
  deleteAllCredentials,
  deleteCredentials,
  listCredentials,
  type Owner,
  ownerOf,
  saveCredentials,
} from '../store/credentials.ts';
import type { CredentialsRow } from '../store/tables.ts';
import type { Target } from '../targets.ts';
import { checkScope, kindOf, recordEvent, type StoredPorts } from './ports.ts';

const CREDENTIALS_MAX = 32;
const DEFAULT_NAME = 'default';

type NewCredentials = {
  name: string;
  title?: string | null | undefined;
  is_default?: boolean | null | undefined;
  secret: StoredSecret;
  expires_ms: number | null;
};

export type CredentialService = {
  list(caller: Scope, idOrName: string, scope: ConsumerScope, query: CredentialsQuery): Promise<CredentialsResponse>;
  /** Creates them, or replaces those of the name. `isNew` refuses to create without a secret. */
  save(
    caller: Scope,
    idOrName: string,
    scope: ConsumerScope,
    request: CredentialsCreateOrUpdate,
  ): Promise<MessageResponse>;
  remove(caller: Scope, idOrName: string, scope: ConsumerScope, name: string): Promise<MessageResponse>;
  removeAll(caller: Scope, idOrName: string, scope: ConsumerScope): Promise<MessageResponse>;
  /** What a sign-in brought. */
  store(tx: Tx, creatorId: string, owner: Owner, given: NewCredentials): Promise<void>;
  insertHeaders(tx: Tx, caller: Scope, owner: Owner, headers: Record<string, string>): Promise<void>;
  /** Of everybody, when the connector moves to another server. */
  forgetAll(tx: Tx, caller: Scope, target: Target): Promise<void>;
  /** Revokes what was deleted with its connector. Nobody waits for it, because it asks other servers. */
  revokeSoon(caller: Scope, target: Target, rows: readonly CredentialsRow[]): void;
};

export function createCredentialService(ports: StoredPorts): CredentialService {
  const { database, audit, box, targets, now, log } = ports;
  const { db } = database;

  async function store(tx: Tx, creatorId: string, owner: Owner, given: NewCredentials): Promise<void> {
    const known = await listCredentials(tx, owner);
    const before = known.find(({ name }) => name === given.name);
    if (!before && known.length >= CREDENTIALS_MAX)
      throw connectorErrors.connectors_too_many(`A connector has at most ${CREDENTIALS_MAX} credentials in a scope.`);
    const is_default = given.is_default ?? before?.is_default ?? known.length === 0;
    if (is_default) await clearDefaults(tx, owner);
    const key = { ...owner, name: given.name };
    await saveCredentials(tx, {
      ...key,
      title: given.title === undefined ? (before?.title ?? null) : given.title,
      authentication_type: typeOf(given.secret),
      is_default,
      sealed: sealText(box, log, JSON.stringify(given.secret), credentialsPlace(key)),
      expires_ms: given.expires_ms,
      version: (before?.version ?? 0) + 1,
      lease_until_ms: null,
      status_type: 'valid',
      error_message: null,
      error_http_code: null,
      checked_at: null,
      creator_id: creatorId,
      created_at: isoMicros(now),
    });
  }

  /** After the commit, because it asks another server: what cannot be revoked is deleted all the same. */
  async function revoke(caller: Scope, target: Target, rows: readonly CredentialsRow[]): Promise<void> {
    for (const row of rows) {
      const grant = openSecret(box, row)?.oauth;
      const outcome = grant && (await revokeGrant(target, grant, log));
      if (!outcome) continue;
      await database.transaction((tx) =>
        recordEvent(
          audit,
          tx,
          caller,
          outcome === 'revoked' ? 'integration.credentials.revoked' : 'integration.credentials.revocation_failed',
          target,
          { credentials: row.name },
        ),
      );
    }
  }

  async function removeRows(caller: Scope, target: Target, owner: Owner, name?: string) {
    const rows = await database.transaction(async (tx) => {
      const deleted = await deleteCredentials(tx, owner, name);
      for (const row of deleted)
        await recordEvent(audit, tx, caller, 'integration.credentials.deleted', target, {
          credentials: row.name,
          scope: row.consumer_type,
        });
      return deleted;
    });
    await revoke(caller, target, rows);
    return rows;
  }

  return {
    store,
    async list(caller, idOrName, scope, { auth_type, fetch_default }) {
      const target = await targets.get(caller, idOrName);
      const rows = await listCredentials(db, ownerOf(target.id, caller, kindOf(scope)));
      const shown = rows.filter(
        (row) => (!auth_type || row.authentication_type === auth_type) && (!fetch_default || row.is_default),
      );
      const preset = (target.row?.auth_methods ?? []).filter(({ client }) => client !== undefined);
      return {
        credentials: shown.map(showCredentials),
        connector_preset_credentials_for_auth: preset.map(({ method_type }) => method_type),
      };
    },
    async save(caller, idOrName, scope, { credentials, ...request }) {
      checkScope(caller, scope);
      const target = await targets.get(caller, idOrName);
      const owner = ownerOf(target.id, caller, kindOf(scope));
      const before = (await listCredentials(db, owner)).find(({ name }) => name === request.name);
      const given = credentials && readSecret(target, credentials, (method) => openClient(method, target.id), now());
      const kept = !given && before ? openSecret(box, before) : undefined;
      const secret = given?.secret ?? kept;
      if (!secret)
        throw connectorErrors.connector_request_invalid(
          'credentials must have oauth, headers or bearer_token: there are none of this name yet.',
        );
      await database.transaction(async (tx) => {
        await store(tx, caller.user_id, owner, {
          ...request,
          secret,
          expires_ms: given ? given.expires_ms : (before?.expires_ms ?? null),
        });
        await recordEvent(audit, tx, caller, 'integration.credentials.created_or_updated', target, {
          credentials: request.name,
          scope,
        });
      });
      return { message: `The credentials '${request.name}' of '${target.config.id}' were stored for this ${scope}.` };
    },
    async remove(caller, idOrName, scope, name) {
      checkScope(caller, scope);
      const target = await targets.get(caller, idOrName);
      const rows = await removeRows(caller, target, ownerOf(target.id, caller, kindOf(scope)), name);
      if (rows.length === 0) throw connectorErrors.connector_credentials_not_found(name);
      return { message: `The credentials '${name}' of '${target.config.id}' were deleted.` };
    },
    async removeAll(caller, idOrName, scope) {
      checkScope(caller, scope);
      const target = await targets.get(caller, idOrName);
      const rows = await removeRows(caller, target, ownerOf(target.id, caller, kindOf(scope)));
      return { message: `${rows.length} credentials of '${target.config.id}' were deleted for this ${scope}.` };
    },
    async insertHeaders(tx, caller, owner, headers) {
      const secret = { headers };
      await store(tx, caller.user_id, owner, { name: DEFAULT_NAME, secret, expires_ms: null });
    },
    revokeSoon(caller, target, rows) {
      revoke(caller, target, rows).catch((error: unknown) =>
        log.warn({ err: error, connector: target.id }, 'tokens of a deleted connector could not be revoked'),
      );
    },
    async forgetAll(tx, caller, target) {
      const count = await deleteAllCredentials(tx, caller.organization_id, target.id);
      if (count > 0)
        await recordEvent(audit, tx, caller, 'integration.credentials.deleted', target, {
          reason: 'the server of the connector was changed',
          count: String(count),
        });
    },
  };

  function openClient({ client }: StoredAuthMethod, id: string): AuthData | undefined {
    const text = client === undefined ? undefined : box.open(client, clientPlace(id));
    return text === undefined ? undefined : (JSON.parse(text) as AuthData);
  }
}

function typeOf(secret: StoredSecret): CredentialsRow['authentication_type'] {
  if (secret.oauth) return 'oauth2';
  return secret.bearer_token === undefined ? 'none' : 'bearer';
}

function readSecret(
  target: Target,
  { oauth, headers, bearer_token }: ConnectionCredentialsInput,
  openClient: (method: StoredAuthMethod) => AuthData | undefined,
  nowMs: number,
): { secret: StoredSecret; expires_ms: number | null } | undefined {
  if (oauth && bearer_token)
    throw connectorErrors.connector_request_invalid('Give oauth or bearer_token, but not both.');
  const own = headers && Object.keys(headers).length > 0 ? { headers } : {};
  if (oauth) return readGrant(target, oauth, openClient, nowMs, own);
  if (bearer_token) return { secret: { ...own, bearer_token }, expires_ms: null };
  return headers && Object.keys(headers).length > 0 ? { secret: own, expires_ms: null } : undefined;
}

function readGrant(
  { row }: Target,
  oauth: NonNullable<ConnectionCredentialsInput['oauth']>,
  openClient: (method: StoredAuthMethod) => AuthData | undefined,
  nowMs: number,
  own: StoredSecret,
): { secret: StoredSecret; expires_ms: number | null } {
  const methods = (row?.auth_methods ?? []).filter(({ method_type }) => method_type === 'oauth2');
  if ('grant_type' in oauth) {
    const method = methods.find(({ grant_type }) => grant_type === 'client_credentials');
    if (!method)
      throw connectorErrors.connector_request_invalid(
        'oauth: the connector has no authentication method with the grant type client_credentials.',
      );
    const { client_id, client_secret } = oauth;
    // The library chooses how the client proves itself from what the server supports.
    const supported = method.token_endpoint_auth_method
      ? { token_endpoint_auth_methods_supported: [method.token_endpoint_auth_method] }
      : {};
    const metadata = { response_types_supported: ['code'], ...method.oauth2_server_metadata, ...supported };
    const scope = method.oauth2_server_metadata?.x_scope ?? undefined;
    const resource = method.oauth2_server_metadata?.x_resource_url ?? undefined;
    const grant: StoredGrant = {
      grant: 'client_credentials',
      client: { client_id, client_secret },
      metadata,
      scope,
      resource,
    };
    return { secret: { ...own, oauth: grant }, expires_ms: nowMs };
  }
  const method = methods.find(({ grant_type }) => grant_type !== 'client_credentials');
  const client = method && openClient(method);
  const { access_token, refresh_token, expires_in, expires_at, scope } = oauth;
  const grant: StoredGrant = {
    grant: client ? 'authorization_code' : 'token',
    client: { client_id: client?.client_id ?? '', client_secret: client?.client_secret ?? undefined },
    metadata: method?.oauth2_server_metadata ?? undefined,
    scope: scope ?? undefined,
    access_token,
    refresh_token: client ? (refresh_token ?? undefined) : undefined,
  };
  const expires_ms = expires_at
    ? Date.parse(expires_at)
    : typeof expires_in === 'number'
      ? nowMs + expires_in * 1000
      : null;
  return { secret: { ...own, oauth: grant }, expires_ms };
}
