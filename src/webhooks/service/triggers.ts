import type { AuditLogEventType } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import type { Tx } from '../../kit/db/index.ts';
import { requestErrors } from '../../kit/http/index.ts';
import { prepareQuery } from '../../kit/jmespath/index.ts';
import { actorOf, holderOf, type Scope } from '../../tenants/index.ts';
import { webhookErrors } from '../errors.ts';
import type { CreateTrigger, Trigger, TriggerEventList, TriggersQuery } from '../schema/triggers.ts';
import { showWebhook } from '../show-webhook.ts';
import type { TriggerRow, WebhookRow } from '../store/tables.ts';
import {
  countTriggers,
  deleteTrigger,
  findTrigger,
  insertTrigger,
  listTriggerEvents,
  listTriggers,
} from '../store/triggers.ts';
import { findWebhook, findWebhookById, listWebhooks } from '../store/webhooks.ts';
import type { TriggerTarget, Viewing, WebhookPorts } from './ports.ts';

const TRIGGERS_MAX = 200;
const TRIGGERS_PER_WEBHOOK_MAX = 20;

export type TriggerCatalogue = {
  list(viewing: Viewing, query: TriggersQuery): Promise<Trigger[]>;
  create(viewing: Viewing, request: CreateTrigger): Promise<Trigger>;
  get(viewing: Viewing, id: string): Promise<Trigger>;
  remove(scope: Scope, id: string): Promise<undefined>;
  events(viewing: Viewing, id: string, limit: number): Promise<TriggerEventList>;
};

export function createTriggerCatalogue(ports: WebhookPorts): TriggerCatalogue {
  const { database, audit, targets, publicUrl, now } = ports;
  const { db } = database;

  /** A trigger shows its webhook, so whoever may not see that one does not see the trigger either. */
  async function find(scope: Scope, id: string): Promise<{ row: TriggerRow; webhook: WebhookRow }> {
    const row = await findTrigger(db, scope, id);
    const webhook = row && (await findWebhook(db, scope, row.webhook_id));
    if (!webhook) throw webhookErrors.trigger_not_found(id);
    return { row, webhook };
  }

  function record(tx: Tx, scope: Scope, event_type: AuditLogEventType, id: string): void {
    const { organization_id, workspace_id } = scope;
    audit.record(tx, {
      ...{ organization_id, workspace_id, actor: actorOf(scope), event_type, event_metadata: {} },
      ...{ target_type: 'TRIGGER', target_metadata: { id } },
    });
  }

  function show(row: TriggerRow, webhook: WebhookRow, origin: string): Trigger {
    const { id, creator_id, workspace_id, organization_id, owner_type, handler, filters, title } = row;
    return {
      ...{ id, creator_id, workspace_id, organization_id, customer_id: organization_id, owner_type },
      event_source: showWebhook(webhook, publicUrl ?? origin),
      handler,
      action: { primitive_id: row.primitive_id, type: row.action_type },
      filters,
      title,
    };
  }

  /** Throws what no schema can state. */
  function targetOf({ handler, action, filters }: CreateTrigger): TriggerTarget {
    if (action.type !== 'start_workflow' && action.type !== 'start_agent_session')
      throw webhookErrors.trigger_invalid(['body', 'action', 'type'], 'this server has no apps', action.type);
    if (handler !== (action.type === 'start_workflow' ? 'workflows' : 'agents'))
      throw webhookErrors.trigger_invalid(['body', 'handler'], `'${action.type}' has another handler`, handler);
    const query = filters ? prepareQuery(filters) : undefined;
    if (query && 'invalid' in query)
      throw webhookErrors.trigger_invalid(['body', 'filters'], `it is not a JMESPath expression: ${query.invalid}`);
    return targets[action.type];
  }

  return {
    async list({ scope, origin }, query) {
      const webhooks = new Map((await listWebhooks(db, scope)).map((row) => [row.id, row]));
      const shown: Trigger[] = [];
      for (const row of await listTriggers(db, scope, query)) {
        const webhook = webhooks.get(row.webhook_id);
        if (webhook) shown.push(show(row, webhook, origin));
      }
      return shown;
    },
    async create({ scope, origin }, request) {
      const target = targetOf(request);
      if (!scope.permissions.has(target.permission)) throw requestErrors.permission_denied(target.permission);
      const webhook = await findWebhook(db, scope, request.event_source_id);
      if (!webhook) throw webhookErrors.webhook_not_found(request.event_source_id);
      await target.check(scope, request.action.primitive_id);
      const { organization_id, workspace_id } = scope;
      const { key_id, user_id: creator_id } = holderOf(scope);
      const row: TriggerRow = {
        ...{ id: uuidv7(now()), organization_id, workspace_id, webhook_id: webhook.id, creator_id, key_id },
        owner_type: request.owner_type,
        handler: request.handler,
        action_type: request.action.type,
        primitive_id: request.action.primitive_id,
        filters: request.filters ?? null,
        title: request.title,
        created_at: isoMicros(now),
        created_ms: now(),
      };
      await database.transaction(async (tx) => {
        if ((await countTriggers(tx, 'workspace_id', workspace_id)) >= TRIGGERS_MAX)
          throw webhookErrors.webhook_limit_reached('triggers', TRIGGERS_MAX);
        if ((await countTriggers(tx, 'webhook_id', webhook.id)) >= TRIGGERS_PER_WEBHOOK_MAX)
          throw webhookErrors.webhook_limit_reached('triggers on this webhook', TRIGGERS_PER_WEBHOOK_MAX);
        if (!(await findWebhookById(tx, webhook.id))) throw webhookErrors.webhook_not_found(webhook.id);
        await insertTrigger(tx, row);
        record(tx, scope, 'trigger.create', row.id);
      });
      return show(row, webhook, origin);
    },
    async get({ scope, origin }, id) {
      const { row, webhook } = await find(scope, id);
      return show(row, webhook, origin);
    },
    async remove(scope, id) {
      await find(scope, id);
      await database.transaction(async (tx) => {
        await deleteTrigger(tx, scope.workspace_id, id);
        record(tx, scope, 'trigger.delete', id);
      });
      return undefined;
    },
    async events({ scope, origin }, id, limit) {
      await find(scope, id);
      const rows = await listTriggerEvents(db, id, limit);
      const data = rows.map(({ delivery_id: _, received_ms: __, path, ...row }) => ({
        ...row,
        url: path === null ? null : `${publicUrl ?? origin}${path}`,
      }));
      return { data };
    },
  };
}
