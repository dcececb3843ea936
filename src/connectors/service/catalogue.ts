import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { isUniqueViolation, type Tx } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { connectorErrors } from '../errors.ts';
import { methodsOfCreation, readMethods, sealHeaders } from '../read-methods.ts';
import { HeaderName } from '../schema/auth-methods.ts';
import type {
  Connector,
  ConnectorQuery,
  ConnectorsQuery,
  CreateConnectorRequest,
  PaginatedConnectors,
  PublicResourceVisibility,
  ToolExecutionConfiguration,
  UpdateConnectorRequest,
} from '../schema/connectors.ts';
import type { ConsumerScope, MessageResponse } from '../schema/credentials.ts';
import { showConnector } from '../show-connector.ts';
import {
  type ConnectorChanges,
  countConnectors,
  deleteConnector,
  insertConnector,
  listConnectors,
  listPreferences,
  type Position,
  savePreferences,
  updateConnector,
} from '../store/connectors.ts';
import { listConnectorCredentials, listUsableCredentials, ownerOf } from '../store/credentials.ts';
import type { ConnectorRow, Consumer } from '../store/tables.ts';
import type { Target } from '../targets.ts';
import type { CredentialService } from './credentials.ts';
import { changeable, checkScope, kindOf, recordEvent, type StoredPorts } from './ports.ts';
import type { SignInService } from './sign-ins.ts';

const CONNECTORS_MAX = 5000;
/** Of a deleted connector: so many tokens are revoked, the rest expire. */
const REVOKED_MAX = 100;

export type CatalogueService = {
  create(caller: Scope, request: CreateConnectorRequest): Promise<Connector>;
  list(caller: Scope, query: ConnectorsQuery): Promise<PaginatedConnectors>;
  get(caller: Scope, idOrName: string, query?: ConnectorQuery): Promise<Connector>;
  update(caller: Scope, id: string, request: UpdateConnectorRequest): Promise<Connector>;
  remove(caller: Scope, id: string): Promise<MessageResponse>;
  share(caller: Scope, id: string, visibility: PublicResourceVisibility): Promise<MessageResponse>;
  activate(caller: Scope, id: string, scope: ConsumerScope, active: boolean): Promise<MessageResponse>;
  prefer(
    caller: Scope,
    id: string,
    scope: ConsumerScope,
    configuration: ToolExecutionConfiguration,
  ): Promise<Connector>;
};

export function createCatalogueService(
  ports: StoredPorts & { credentials: CredentialService; signIns: Pick<SignInService, 'readMetadata'> },
): CatalogueService {
  const { database, audit, tokens, targets, now, credentials, signIns } = ports;
  const { db } = database;

  async function show(consumer: Consumer, shown: readonly Target[]): Promise<Connector[]> {
    const ids = shown.map(({ id }) => id);
    const [preferences, owned] = await Promise.all([
      listPreferences(db, consumer, ids),
      listUsableCredentials(db, consumer, ids),
    ]);
    return shown.map((target) =>
      showConnector(
        target,
        preferences.filter(({ connector_id }) => connector_id === target.id),
        owned.filter(({ connector_id }) => connector_id === target.id),
      ),
    );
  }

  async function showOne(caller: Scope, target: Target): Promise<Connector> {
    const [shown] = await show(caller, [target]);
    if (!shown) throw connectorErrors.connector_absent(target.id);
    return shown;
  }

  function checkName(caller: Scope, name: string): void {
    if (targets.declared(caller.workspace_id).some(({ id }) => id === name))
      throw connectorErrors.connector_name_taken(name);
  }

  async function change(caller: Scope, row: ConnectorRow, changes: ConnectorChanges, also: (tx: Tx) => Promise<void>) {
    try {
      await database.transaction(async (tx) => {
        const changed = { ...changes, modified_at: isoMicros(now) };
        if (!(await updateConnector(tx, caller.organization_id, row.id, changed)))
          throw connectorErrors.connector_absent(row.id);
        await also(tx);
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw connectorErrors.connector_name_taken(changes.name ?? row.name);
      throw error;
    }
  }

  return {
    async create(caller, request) {
      const { name, visibility } = request;
      if (visibility === 'shared_org') checkScope(caller, 'organization');
      checkName(caller, name);
      if ((await countConnectors(db, caller.workspace_id)) >= CONNECTORS_MAX)
        throw connectorErrors.connectors_too_many(`A workspace has at most ${CONNECTORS_MAX} connectors.`);
      const id = uuidv7(now());
      const { oauth2_server_metadata_url: address } = request;
      if (address && request.oauth2_server_metadata)
        throw connectorErrors.connector_request_invalid(
          'Give oauth2_server_metadata or oauth2_server_metadata_url, but not both.',
        );
      const oauth2_server_metadata = address ? await signIns.readMetadata(address) : request.oauth2_server_metadata;
      const at = isoMicros(now);
      const row: ConnectorRow = {
        id,
        organization_id: caller.organization_id,
        workspace_id: caller.workspace_id,
        creator_id: caller.user_id,
        name,
        name_scope: visibility === 'private' ? caller.user_id : '',
        title: request.title ?? null,
        description: request.description,
        protocol: request.protocol,
        server: request.server,
        icon_url: request.icon_url ?? null,
        system_prompt: request.system_prompt ?? null,
        visibility,
        global_headers: sealHeaders(ports, id, request.global_headers ?? {}),
        auth_methods: methodsOfCreation(ports, id, { ...request, oauth2_server_metadata }),
        openapi: null,
        created_at: at,
        modified_at: at,
        checked_at: null,
        last_error: null,
      };
      const target = targets.fromRow(row);
      const headers = textHeaders(request.headers);
      try {
        await database.transaction(async (tx) => {
          await insertConnector(tx, row);
          await recordEvent(audit, tx, caller, 'integration.created', target, { server: new URL(row.server).origin });
          if (headers) {
            const kind = visibility === 'private' ? 'user' : visibility === 'shared_org' ? 'org' : 'workspace';
            await credentials.insertHeaders(tx, caller, ownerOf(id, caller, kind), headers);
          }
        });
      } catch (error) {
        if (isUniqueViolation(error)) throw connectorErrors.connector_name_taken(name);
        throw error;
      }
      return showOne(caller, target);
    },
    async list(caller, { cursor, page_size, active, query_filters }) {
      const isActive = active ?? readFilter(query_filters);
      const question = ['connectors', caller.workspace_id, caller.user_id, String(isActive)];
      const after = cursor ? (tokens.read(question, cursor) as Position) : undefined;
      // Those of the configuration are few, and come with the first page.
      const declared = after ? [] : targets.declared(caller.workspace_id);
      const rows = await listConnectors(db, caller, { limit: page_size + 1, after, isActive });
      const page = rows.slice(0, page_size);
      const shown = await show(caller, [...declared, ...page.map(targets.fromRow)]);
      const last = page.at(-1);
      const next_cursor =
        rows.length > page.length && last ? tokens.write(question, { created_at: last.created_at, id: last.id }) : null;
      const items = isActive === undefined ? shown : shown.filter((one) => one.active === isActive);
      return { items, pagination: { next_cursor, page_size } };
    },
    get: async (caller, idOrName) => showOne(caller, await targets.get(caller, idOrName)),
    async update(caller, id, request) {
      const target = await targets.get(caller, id);
      const row = changeable(caller, target);
      if (request.name && request.name !== row.name) checkName(caller, request.name);
      const { title, icon_url, system_prompt } = request;
      const changes: ConnectorChanges = {
        ...(request.name ? { name: request.name } : {}),
        ...(request.description ? { description: request.description } : {}),
        ...(request.server ? { server: request.server } : {}),
        ...(title === undefined ? {} : { title }),
        ...(icon_url === undefined ? {} : { icon_url }),
        ...(system_prompt === undefined ? {} : { system_prompt }),
        ...(request.auth_methods ? { auth_methods: readMethods(ports, row.id, request.auth_methods) } : {}),
      };
      const isMoved = request.server ? new URL(request.server).origin !== new URL(row.server).origin : false;
      await change(caller, row, changes, async (tx) => {
        await recordEvent(audit, tx, caller, 'integration.updated', target);
        // Credentials were given for the old server: a new one must not get them.
        if (isMoved) await credentials.forgetAll(tx, caller, target);
      });
      return showOne(caller, await targets.get(caller, row.id));
    },
    async remove(caller, id) {
      const target = await targets.get(caller, id);
      const row = changeable(caller, target);
      const signedIn = await listConnectorCredentials(db, caller.organization_id, row.id, REVOKED_MAX);
      await database.transaction(async (tx) => {
        if (!(await deleteConnector(tx, caller.organization_id, row.id))) throw connectorErrors.connector_absent(id);
        await recordEvent(audit, tx, caller, 'integration.deleted', target);
      });
      credentials.revokeSoon(caller, target, signedIn);
      return { message: `The connector '${row.name}' was deleted.` };
    },
    async share(caller, id, visibility) {
      const target = await targets.get(caller, id);
      const row = changeable(caller, target);
      if (visibility === 'shared_org' || row.visibility === 'shared_org') checkScope(caller, 'organization');
      const wasWider = ORDER.indexOf(row.visibility) > ORDER.indexOf(visibility);
      const name_scope = visibility === 'private' ? row.creator_id : '';
      await change(caller, row, { visibility, name_scope }, (tx) =>
        recordEvent(audit, tx, caller, wasWider ? 'integration.unshared' : 'integration.shared', target, {
          visibility,
        }),
      );
      return { message: `The connector '${row.name}' is ${MEANINGS[visibility]} now.` };
    },
    async activate(caller, id, scope, active) {
      checkScope(caller, scope);
      const target = await targets.get(caller, id);
      const { connector_id, organization_id, consumer_type, consumer_id } = ownerOf(target.id, caller, kindOf(scope));
      await database.transaction(async (tx) => {
        await savePreferences(tx, { connector_id, organization_id, consumer_type, consumer_id }, { active });
        await recordEvent(
          audit,
          tx,
          caller,
          `integration.${active ? 'activated' : 'deactivated'}_for_${consumer_type}`,
          target,
        );
      });
      return {
        message: `The connector '${target.config.id}' is ${active ? 'active' : 'not active'} for this ${scope} now.`,
      };
    },
    async prefer(caller, id, scope, configuration) {
      checkScope(caller, scope);
      if (configuration.include?.length && configuration.exclude?.length)
        throw connectorErrors.connector_request_invalid('Give include or exclude, but not both.');
      const target = await targets.get(caller, id);
      const owner = ownerOf(target.id, caller, kindOf(scope));
      await database.transaction(async (tx) => {
        await savePreferences(tx, owner, { tool_configuration: configuration });
        await recordEvent(audit, tx, caller, 'integration.preferences.created_or_updated', target, { scope });
      });
      return showOne(caller, target);
    },
  };
}

const ORDER: readonly PublicResourceVisibility[] = ['private', 'shared_workspace', 'shared_org'];
const MEANINGS: Record<PublicResourceVisibility, string> = {
  private: 'private',
  shared_workspace: 'shared with the workspace',
  shared_org: 'shared with the organization',
};

function textHeaders(headers: Record<string, unknown> | null | undefined): Record<string, string> | undefined {
  const entries = Object.entries(headers ?? {});
  if (entries.length === 0) return undefined;
  for (const [name, value] of entries)
    if (!HeaderName.safeParse(name).success || typeof value !== 'string' || !/^[\t\x20-\x7e]{0,8192}$/.test(value))
      throw connectorErrors.connector_request_invalid(`headers: the value of '${name}' must be the text of a header.`);
  return Object.fromEntries(entries) as Record<string, string>;
}

function readFilter(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  try {
    const { active } = JSON.parse(text) as { active?: unknown };
    if (active === undefined || active === null) return undefined;
    if (typeof active === 'boolean') return active;
  } catch {
    // Explained below.
  }
  throw connectorErrors.connector_request_invalid('query_filters must be a JSON object such as {"active":true}.');
}
