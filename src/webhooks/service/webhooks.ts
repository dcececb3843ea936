import { randomBytes } from 'node:crypto';
import type { AuditLogEventType } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import type { Tx } from '../../kit/db/index.ts';
import { actorOf, type Scope } from '../../tenants/index.ts';
import { checkSettings } from '../check-settings.ts';
import { webhookErrors } from '../errors.ts';
import { readPrivateKey } from '../open-microsoft.ts';
import { providers } from '../providers.ts';
import type {
  CreateWebhook,
  Webhook,
  WebhookDeliveries,
  WebhookSettings,
  WebhookSigningSecret,
} from '../schema/webhooks.ts';
import { WebhookSettings as SettingsSchema } from '../schema/webhooks.ts';
import { keyPlace, openText, sealText, secretPlace } from '../seal-secrets.ts';
import { showWebhook } from '../show-webhook.ts';
import { listDeliveries } from '../store/deliveries.ts';
import type { WebhookRow } from '../store/tables.ts';
import { countWebhooks, deleteWebhook, findWebhook, insertWebhook, listWebhooks } from '../store/webhooks.ts';
import type { Viewing, WebhookPorts } from './ports.ts';

const WEBHOOKS_MAX = 100;
const TOKEN_BYTES = 24;
const SECRET_BYTES = 32;

export type WebhookCatalogue = {
  list(viewing: Viewing): Promise<Webhook[]>;
  create(viewing: Viewing, request: CreateWebhook): Promise<Webhook>;
  get(viewing: Viewing, id: string): Promise<Webhook>;
  remove(scope: Scope, id: string): Promise<undefined>;
  signingSecret(scope: Scope, id: string): Promise<WebhookSigningSecret>;
  deliveries(scope: Scope, id: string, limit: number): Promise<WebhookDeliveries>;
};

export function createWebhookCatalogue(ports: WebhookPorts): WebhookCatalogue {
  const { database, audit, box, publicUrl, now, log } = ports;
  const { db } = database;

  async function find(scope: Scope, id: string): Promise<WebhookRow> {
    const row = await findWebhook(db, scope, id);
    if (!row) throw webhookErrors.webhook_not_found(id);
    return row;
  }

  function record(tx: Tx, scope: Scope, event_type: AuditLogEventType, id: string): void {
    const { organization_id, workspace_id } = scope;
    audit.record(tx, {
      ...{ organization_id, workspace_id, actor: actorOf(scope), event_type, event_metadata: {} },
      ...{ target_type: 'WEBHOOK', target_metadata: { id } },
    });
  }

  const show = (row: WebhookRow, origin: string) => showWebhook(row, publicUrl ?? origin);

  return {
    async list({ scope, origin }) {
      return (await listWebhooks(db, scope)).map((row) => show(row, origin));
    },
    async create({ scope, origin }, request) {
      const { provider, name, owner_type, encryption_key, expires_at } = request;
      const settings = settingsOf(request);
      checkSettings(provider, settings, request);
      if (encryption_key && !readPrivateKey(encryption_key))
        throw webhookErrors.webhook_invalid(['body', 'encryption_key'], 'it is a private RSA key as PEM');
      const { secret, origin: secret_origin } = secretOf(request);
      const id = uuidv7(now());
      const created_at = isoMicros(now);
      const row: WebhookRow = {
        id,
        organization_id: scope.organization_id,
        workspace_id: scope.workspace_id,
        creator_id: scope.user_id,
        owner_type,
        provider,
        name,
        token: randomBytes(TOKEN_BYTES).toString('base64url'),
        settings,
        sealed_secret: secret === undefined ? null : sealText(box, log, secret, secretPlace(id)),
        secret_origin,
        sealed_key: encryption_key ? sealText(box, log, encryption_key, keyPlace(id)) : null,
        url_verified: false,
        expires_at: expires_at ? new Date(expires_at).toISOString() : null,
        created_at,
        updated_at: created_at,
      };
      await database.transaction(async (tx) => {
        if ((await countWebhooks(tx, scope.workspace_id)) >= WEBHOOKS_MAX)
          throw webhookErrors.webhook_limit_reached('webhooks', WEBHOOKS_MAX);
        await insertWebhook(tx, row);
        record(tx, scope, 'webhook.create', id);
      });
      return show(row, origin);
    },
    get: async ({ scope, origin }, id) => show(await find(scope, id), origin),
    async remove(scope, id) {
      await find(scope, id);
      await database.transaction(async (tx) => {
        await deleteWebhook(tx, scope.workspace_id, id);
        record(tx, scope, 'webhook.delete', id);
      });
      return undefined;
    },
    async signingSecret(scope, id) {
      const { secret_origin, sealed_secret, url_verified } = await find(scope, id);
      if (secret_origin === 'given' || (secret_origin === 'made' && url_verified))
        throw webhookErrors.webhook_secret_hidden();
      if (sealed_secret === null) throw webhookErrors.webhook_secret_missing();
      await database.transaction(async (tx) => record(tx, scope, 'webhook.secret.read', id));
      return { signing_secret: openText(box, sealed_secret, secretPlace(id)) };
    },
    async deliveries(scope, id, limit) {
      await find(scope, id);
      return { data: await listDeliveries(db, id, limit) };
    },
  };
}

/** What the request sets, else what the provider does. Null is an explicit choice where it can be one. */
function settingsOf(request: CreateWebhook): WebhookSettings {
  const preset = providers[request.provider].settings;
  const own = SettingsSchema.partial().parse(request);
  return Object.fromEntries(
    Object.entries(preset).map(([name, value]) => [name, own[name as keyof WebhookSettings] ?? value]),
  ) as WebhookSettings;
}

function secretOf({ provider, secret }: CreateWebhook): { secret?: string; origin: WebhookRow['secret_origin'] } {
  if (secret) return { secret, origin: 'given' };
  // Notion sends the secret itself, to the address of the webhook.
  if (provider === 'notion') return { origin: 'received' };
  if (providers[provider].takesOurSecret)
    return { secret: randomBytes(SECRET_BYTES).toString('base64url'), origin: 'made' };
  throw webhookErrors.webhook_invalid(['body', 'secret'], 'this provider makes the secret: enter it here');
}
