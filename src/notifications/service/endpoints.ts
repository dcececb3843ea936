import type { AuditLogEventType } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { hexId, uuidv7 } from '../../kit/base/ids.ts';
import type { Tx } from '../../kit/db/index.ts';
import { requestErrors } from '../../kit/http/index.ts';
import { actorOf, holderOf, ORGANIZATION_ADMINISTER, type Scope } from '../../tenants/index.ts';
import { notificationErrors } from '../errors.ts';
import type {
  CreatedNotificationEndpoint,
  CreateNotificationEndpoint,
  DeliveriesQuery,
  NotificationDeliveries,
  NotificationDelivery,
  NotificationEndpoint,
  NotificationEndpoints,
  NotificationSecret,
  UpdateNotificationEndpoint,
} from '../schema/endpoints.ts';
import { TEST_EVENT } from '../schema/endpoints.ts';
import { sealSecret } from '../seal-secrets.ts';
import { makeSecret } from '../sign-message.ts';
import { findDelivery, listDeliveries, moveDelivery } from '../store/deliveries.ts';
import {
  countEndpoints,
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  updateEndpoint,
} from '../store/endpoints.ts';
import type { DeliveryRow, EndpointRow } from '../store/tables.ts';
import type { NotificationPorts } from './ports.ts';
import type { Sender } from './send.ts';

const ENDPOINTS_MAX = 20;
/** How long the secret before a rotation still signs. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

export type EndpointService = {
  list(scope: Scope): Promise<NotificationEndpoints>;
  create(scope: Scope, request: CreateNotificationEndpoint): Promise<CreatedNotificationEndpoint>;
  get(scope: Scope, id: string): Promise<NotificationEndpoint>;
  update(scope: Scope, id: string, request: UpdateNotificationEndpoint): Promise<NotificationEndpoint>;
  remove(scope: Scope, id: string): Promise<undefined>;
  rotateSecret(scope: Scope, id: string): Promise<NotificationSecret>;
  test(scope: Scope, id: string): Promise<NotificationDelivery>;
  deliveries(scope: Scope, id: string, query: DeliveriesQuery): Promise<NotificationDeliveries>;
  replay(scope: Scope, id: string, deliveryId: string): Promise<NotificationDelivery>;
};

export function createEndpointService(ports: NotificationPorts, sender: Sender): EndpointService {
  const { database, audit, signal, box, mayBePublic, tokens, now, log } = ports;
  const { db } = database;

  async function find(scope: Scope, id: string, isChange = false): Promise<EndpointRow> {
    const row = await findEndpoint(db, id, scope.workspace_id);
    if (!row) throw notificationErrors.notification_endpoint_not_found(id);
    if (isChange) checkCovers(scope, row.covers);
    return row;
  }

  function record(tx: Tx, scope: Scope, event_type: AuditLogEventType, id: string): void {
    const { organization_id, workspace_id } = scope;
    audit.record(tx, {
      ...{ organization_id, workspace_id, actor: actorOf(scope), event_type, event_metadata: {} },
      ...{ target_type: 'NOTIFICATION_ENDPOINT', target_metadata: { id } },
    });
  }

  /** Each send checks what the name resolves to; this tells early what never works. */
  function checkUrl(text: string): void {
    const url = URL.parse(text);
    const isWeb = url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
    if (!isWeb || !mayBePublic(url))
      throw notificationErrors.notification_url_invalid(
        ['body', 'url'],
        'it must be a public http or https address without a password; the operator can allow others in outbound.allow',
      );
  }

  async function rotate(scope: Scope, row: EndpointRow): Promise<NotificationSecret> {
    const secret = makeSecret();
    const untilMs = now() + ROTATION_MS;
    const change = {
      sealed_secret: sealSecret(box, log, row.id, secret),
      sealed_previous: row.sealed_secret,
      previous_until_ms: untilMs,
      updated_at: isoMicros(now),
    };
    await database.transaction(async (tx) => {
      await updateEndpoint(tx, row.id, change);
      record(tx, scope, 'notification_endpoint.secret.rotate', row.id);
    });
    return { secret, previous_valid_until: new Date(untilMs).toISOString() };
  }

  return {
    list: async (scope) => ({ data: (await listEndpoints(db, scope.workspace_id)).map(showEndpoint) }),
    async create(scope, { url, description, event_types, covers }) {
      checkUrl(url);
      checkCovers(scope, covers);
      const id = uuidv7(now());
      const secret = makeSecret();
      const { organization_id, workspace_id } = scope;
      const { user_id: creator_id, key_id } = holderOf(scope);
      const created_at = isoMicros(now);
      const row: EndpointRow = {
        ...{ id, organization_id, workspace_id, covers, creator_id, key_id, url, description, event_types },
        sealed_secret: sealSecret(box, log, id, secret),
        ...{ sealed_previous: null, previous_until_ms: null },
        ...{ status: 'enabled', disabled_reason: null, failing_since_ms: null, created_at, updated_at: created_at },
      };
      await database.transaction(async (tx) => {
        if ((await countEndpoints(tx, workspace_id)) >= ENDPOINTS_MAX)
          throw notificationErrors.notification_limit_reached(ENDPOINTS_MAX);
        await insertEndpoint(tx, row);
        signal.raise(tx);
        record(tx, scope, 'notification_endpoint.create', id);
      });
      return { ...showEndpoint(row), secret };
    },
    get: async (scope, id) => showEndpoint(await find(scope, id)),
    async update(scope, id, { status, ...request }) {
      const row = await find(scope, id, true);
      if (request.url !== undefined) checkUrl(request.url);
      const change = {
        ...withoutUndefined(request),
        ...(status && { status, disabled_reason: null, failing_since_ms: null }),
        updated_at: isoMicros(now),
      };
      await database.transaction(async (tx) => {
        if (!(await updateEndpoint(tx, id, change))) throw notificationErrors.notification_endpoint_not_found(id);
        signal.raise(tx);
        record(tx, scope, 'notification_endpoint.update', id);
      });
      return showEndpoint({ ...row, ...change });
    },
    async remove(scope, id) {
      await find(scope, id, true);
      await database.transaction(async (tx) => {
        if (!(await deleteEndpoint(tx, scope.workspace_id, id)))
          throw notificationErrors.notification_endpoint_not_found(id);
        signal.raise(tx);
        record(tx, scope, 'notification_endpoint.delete', id);
      });
      return undefined;
    },
    rotateSecret: async (scope, id) => rotate(scope, await find(scope, id, true)),
    async test(scope, id) {
      const row = await find(scope, id);
      if (row.status === 'disabled') throw notificationErrors.notification_endpoint_disabled();
      const { organization_id, workspace_id } = row;
      const delivery = await database.transaction((tx) =>
        sender.add(tx, row, {
          ...{ id: hexId('msg_'), timestamp: isoMicros(now), type: TEST_EVENT, organization_id, workspace_id },
          data: { endpoint_id: id },
        }),
      );
      if (!delivery) throw notificationErrors.notification_backlog_full();
      return showDelivery(delivery);
    },
    async deliveries(scope, id, { status, page_size, page_token }) {
      await find(scope, id);
      const question = ['notification-deliveries', id, status ?? ''];
      const after =
        page_token === undefined
          ? undefined
          : (tokens.read(question, page_token) as { created_ms: number; id: string });
      const rows = await listDeliveries(db, id, { status, after, limit: page_size + 1 });
      const shown = rows.slice(0, page_size);
      const last = rows.length > page_size ? shown.at(-1) : undefined;
      return {
        data: shown.map(showDelivery),
        next_page_token: last ? tokens.write(question, { created_ms: last.created_ms, id: last.id }) : null,
      };
    },
    async replay(scope, id, deliveryId) {
      const endpoint = await find(scope, id);
      const delivery = await findDelivery(db, deliveryId);
      if (delivery?.endpoint_id !== id) throw notificationErrors.notification_delivery_not_found(deliveryId);
      if (endpoint.status === 'disabled') throw notificationErrors.notification_endpoint_disabled();
      const change = { status: 'pending', attempts: 0, error: null, response_status: null, ended_at: null } as const;
      await database.transaction(async (tx) => {
        if (!(await moveDelivery(tx, deliveryId, ['delivered', 'failed'], change)))
          throw notificationErrors.notification_delivery_pending();
        await sender.enqueue(tx, delivery);
        record(tx, scope, 'notification_endpoint.replay', id);
      });
      return showDelivery({ ...delivery, ...change });
    },
  };
}

/** What happens in other workspaces is for admins of the organization. */
function checkCovers(scope: Scope, covers: EndpointRow['covers']): void {
  if (covers === 'organization' && !scope.permissions.has(ORGANIZATION_ADMINISTER))
    throw requestErrors.permission_denied(ORGANIZATION_ADMINISTER);
}

function showEndpoint(row: EndpointRow): NotificationEndpoint {
  const {
    sealed_secret: _,
    sealed_previous: __,
    previous_until_ms: ___,
    key_id: ____,
    failing_since_ms,
    ...shown
  } = row;
  return { ...shown, failing_since: failing_since_ms === null ? null : new Date(failing_since_ms).toISOString() };
}

function showDelivery({ organization_id: _, created_ms: __, payload, ...row }: DeliveryRow): NotificationDelivery {
  return { ...row, payload: JSON.parse(payload) as Record<string, unknown> };
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
