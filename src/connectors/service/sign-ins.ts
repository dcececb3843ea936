import { createHash, randomBytes } from 'node:crypto';
import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import { isoMicros } from '../../kit/base/clock.ts';
import type { RawReply, Scope } from '../../kit/http/index.ts';
import type { Outbound } from '../../kit/outbound/index.ts';
import { createBoundedFetch } from '../../kit/outbound/index.ts';
import { loadClientLibrary } from '../client-library.ts';
import { connectorErrors } from '../errors.ts';
import {
  type AuthorizationServer,
  findAuthorizationServer,
  showMetadata,
  unavailable,
} from '../find-authorization-server.ts';
import { clientPlace } from '../read-methods.ts';
import { expiryOf } from '../refresh-token.ts';
import { registeredPlace } from '../reseal-secrets.ts';
import { type AuthData, ExtendedOAuthServerMetadata, type PublicAuthenticationMethod } from '../schema/auth-methods.ts';
import type { AuthUrlQuery, AuthUrlResponse, CallbackQuery, StoredGrant } from '../schema/credentials.ts';
import { openSecret, sealText } from '../seal-credentials.ts';
import { showMethods } from '../show-connector.ts';
import { renderOutcome } from '../sign-in-page.ts';
import { findCredentials, ownerOf } from '../store/credentials.ts';
import { findClient, insertSignIn, saveClient, takeSignIn } from '../store/sign-ins.ts';
import type { Target } from '../targets.ts';
import type { CredentialService } from './credentials.ts';
import type { StoredPorts } from './ports.ts';

export const CALLBACK_PATH = '/v1/connectors/oauth/callback';
const TTL_SECONDS = 600;
const DEFAULT_NAME = 'default';

export type SignInService = {
  /** Where the user's browser must go. */
  begin(caller: Scope, idOrName: string, query: AuthUrlQuery, origin: string): Promise<AuthUrlResponse>;
  /** The browser comes back from the authorization server. */
  finish(query: CallbackQuery): Promise<RawReply>;
  listMethods(caller: Scope, idOrName: string): Promise<PublicAuthenticationMethod[]>;
  /** An RFC 8414 document at an address that a user gave. */
  readMetadata(address: string): Promise<ExtendedOAuthServerMetadata>;
};

/** What the callback needs, sealed in the row of its state. */
type Pending = {
  issuer: string;
  metadata: AuthorizationServerMetadata;
  client: { client_id: string; client_secret?: string | undefined };
  verifier: string;
  redirect_url: string;
  resource: string | undefined;
  scope: string | undefined;
};

export function createSignInService(
  ports: StoredPorts & {
    credentials: Pick<CredentialService, 'store'>;
    guarded: Outbound;
    publicUrl: string | undefined;
  },
): SignInService {
  const { database, audit, box, targets, now, log, credentials, guarded, publicUrl } = ports;
  const { db } = database;

  async function findOrRegister(caller: Scope, target: Target, server: AuthorizationServer, redirectUrl: string) {
    const { method, metadata, url } = server;
    const preset = method?.client === undefined ? undefined : box.open(method.client, clientPlace(target.id));
    if (preset !== undefined) {
      const { client_id, client_secret, client_scopes } = JSON.parse(preset) as AuthData;
      if (client_scopes?.length) server.scope = client_scopes.join(' ');
      return { client_id, ...(client_secret ? { client_secret } : {}) };
    }
    const { organization_id } = caller;
    const key = { connector_id: target.id, organization_id, issuer: metadata.issuer, redirect_url: redirectUrl };
    const place = registeredPlace(key);
    const known = await findClient(db, key);
    const opened = known === undefined ? undefined : box.open(known, place);
    if (opened !== undefined) return JSON.parse(opened) as { client_id: string; client_secret?: string };
    if (!metadata.registration_endpoint)
      throw unavailable(target, 'its authorization server registers no clients by itself, so auth_data is needed');
    const library = await loadClientLibrary();
    const clientMetadata = {
      client_name: 'Tramontane',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
    };
    const registered = await library
      .registerClient(url, {
        metadata,
        clientMetadata: library.resolveClientMetadata({ redirectUrl, clientMetadata }),
        fetchFn: createBoundedFetch(target.outbound),
      })
      .catch((error: unknown) => {
        throw unavailable(target, 'its authorization server refuses to register a client', error);
      });
    const { client_id, client_secret } = registered;
    const client = { client_id, ...(client_secret ? { client_secret } : {}) };
    await saveClient(db, key, sealText(box, log, JSON.stringify(client), place), isoMicros(now));
    return client;
  }

  async function wantedScope(caller: Scope, target: Target, name: string, scope: string | undefined) {
    const row = await findCredentials(db, { ...ownerOf(target.id, caller, 'user'), name });
    const grant = row && openSecret(box, row)?.oauth;
    const library = await loadClientLibrary();
    return library.computeScopeUnion(scope, grant?.wanted_scope ? grant.scope : undefined, grant?.wanted_scope);
  }

  async function begin(caller: Scope, target: Target, query: AuthUrlQuery, origin: string): Promise<AuthUrlResponse> {
    const name = query.credentials_name ?? DEFAULT_NAME;
    const server = await findAuthorizationServer(target, log);
    const redirect_url = `${publicUrl ?? origin}${CALLBACK_PATH}`;
    const library = await loadClientLibrary();
    const state = randomBytes(32).toString('base64url');
    const { metadata, url, resource } = server;
    const client = await findOrRegister(caller, target, server, redirect_url);
    const scope = await wantedScope(caller, target, name, withOfflineAccess(server.scope, metadata));
    const started = await library
      .startAuthorization(url, {
        metadata,
        clientInformation: client as OAuthClientInformationMixed,
        redirectUrl: redirect_url,
        state,
        ...(scope === undefined ? {} : { scope }),
        ...(resource === undefined ? {} : { resource }),
      })
      .catch((error: unknown) => {
        throw unavailable(target, 'its authorization server does not support PKCE', error);
      });
    const { authorizationUrl, codeVerifier: verifier } = started;
    if (!/^https?:$/.test(authorizationUrl.protocol)) throw unavailable(target, 'its sign-in page has no web address');
    const state_hash = hashState(state);
    const pending: Pending = { issuer: url, metadata, client, verifier, redirect_url, resource, scope };
    const row = {
      state_hash,
      connector_id: target.id,
      organization_id: caller.organization_id,
      workspace_id: caller.workspace_id,
      user_id: caller.user_id,
      credentials_name: name,
      credentials_title: query.credentials_title ?? null,
      sealed: sealText(box, log, JSON.stringify(pending), `sign-in ${state_hash}`),
      return_url: query.app_return_url ?? null,
      expires_ms: now() + TTL_SECONDS * 1000,
    };
    await database.transaction((tx) => insertSignIn(tx, row, now()));
    return { auth_url: authorizationUrl.href, ttl: TTL_SECONDS };
  }

  return {
    async begin(caller, idOrName, query, origin) {
      const target = await targets.get(caller, idOrName);
      if (query.method_type && query.method_type !== 'oauth2')
        throw unavailable(target, `the method ${query.method_type} has no sign-in page here`);
      if (query.github_installation_link) throw unavailable(target, 'there are no GitHub installations here');
      if (query.app_return_url && !isReturnUrl(query.app_return_url, publicUrl ?? origin))
        throw connectorErrors.connector_return_url_refused();
      return begin(caller, target, query, origin);
    },
    async finish({ state, code, iss, error }) {
      const state_hash = hashState(state ?? '');
      const row = state === undefined ? undefined : await database.transaction((tx) => takeSignIn(tx, state_hash));
      const text = row && row.expires_ms > now() ? box.open(row.sealed, `sign-in ${state_hash}`) : undefined;
      if (!row || text === undefined)
        return renderOutcome({
          status: 'failed',
          connector: '',
          text: 'This sign-in was finished already, or it took too long. Begin again.',
        });
      const fail = (why: string) =>
        renderOutcome({ status: 'failed', connector: row.connector_id, text: why }, row.return_url);
      const target = await targets.find(row, row.connector_id);
      if (!target) return fail('The connector is no longer there.');
      const pending = JSON.parse(text) as Pending;
      const { metadata, client } = pending;
      const library = await loadClientLibrary();
      try {
        library.validateAuthorizationResponseIssuer({
          iss,
          expectedIssuer: metadata.issuer,
          issParameterSupported:
            (metadata as { authorization_response_iss_parameter_supported?: boolean })
              .authorization_response_iss_parameter_supported === true,
        });
        if (code === undefined || error !== undefined) return fail('The sign-in was refused or cancelled.');
        const tokens = await library.exchangeAuthorization(pending.issuer, {
          metadata,
          clientInformation: client as OAuthClientInformationMixed,
          authorizationCode: code,
          ...(iss === undefined ? {} : { iss }),
          codeVerifier: pending.verifier,
          redirectUri: pending.redirect_url,
          ...(pending.resource === undefined ? {} : { resource: pending.resource }),
          fetchFn: createBoundedFetch(target.outbound),
        });
        const grant: StoredGrant = {
          grant: 'authorization_code',
          client,
          metadata: metadata as unknown as Record<string, unknown>,
          resource: pending.resource,
          scope: tokens.scope ?? pending.scope,
          access_token: tokens.access_token,
          refresh_token: tokens.refresh_token,
        };
        const { credentials_name: name, credentials_title: title, user_id, organization_id, workspace_id } = row;
        await database.transaction(async (tx) => {
          await credentials.store(tx, user_id, ownerOf(target.id, row, 'user'), {
            name,
            ...(title === null ? {} : { title }),
            secret: { oauth: grant },
            expires_ms: expiryOf(tokens, now()),
          });
          await audit.record(tx, {
            organization_id,
            workspace_id,
            actor: { type: 'HUMAN', metadata: { user_uuid: user_id } },
            event_type: 'integration.connected',
            event_metadata: { credentials: name },
            target_type: 'INTEGRATION',
            target_metadata: { id: target.id, name: target.config.id },
          });
        });
        const text = `You are signed in to '${target.config.id}'. You can close this window.`;
        return renderOutcome({ status: 'connected', connector: target.id, text }, row.return_url);
      } catch (failure) {
        log.warn({ err: failure, connector: target.id }, 'a sign-in to a connector failed');
        return fail('The authorization server gave no token, or the answer came from another one. Begin again.');
      }
    },
    async listMethods(caller, idOrName) {
      const target = await targets.get(caller, idOrName);
      if (target.row?.auth_methods) return showMethods(target.row);
      const others = (['bearer', 'none'] as const).map((method_type) => ({
        method_type,
        headers: null,
        has_default_credentials: !target.row,
        grant_type: null,
        oauth2_server_metadata: null,
      }));
      const server = await findAuthorizationServer(target, log).catch(() => undefined);
      if (!server) return others;
      const oauth2 = {
        method_type: 'oauth2' as const,
        headers: null,
        has_default_credentials: false,
        grant_type: 'authorization_code' as const,
        oauth2_server_metadata: showMetadata(server),
      };
      return [oauth2, ...others];
    },
    async readMetadata(address) {
      const refuse = (cause: unknown) =>
        connectorErrors.connector_oauth_unavailable(
          'oauth2_server_metadata_url: there is no metadata document of an authorization server (RFC 8414).',
          { cause },
        );
      const document = await createBoundedFetch(guarded)(address)
        .then((response) => response.json())
        .catch((error: unknown) => {
          throw refuse(error);
        });
      const parsed = ExtendedOAuthServerMetadata.strip().safeParse(document);
      if (!parsed.success) throw refuse(parsed.error);
      return parsed.data;
    },
  };
}

function hashState(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}

/** Without it most servers give no refresh token. */
function withOfflineAccess(scope: string | undefined, { scopes_supported }: AuthorizationServerMetadata) {
  if (!scopes_supported?.includes('offline_access') || scope?.split(' ').includes('offline_access')) return scope;
  return scope ? `${scope} offline_access` : 'offline_access';
}

function isReturnUrl(text: string, own: string): boolean {
  const url = URL.parse(text);
  if (url?.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  return url.protocol === 'http:' && (isLoopback || url.origin === new URL(own).origin);
}
