import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { type ApiError, type RawReply, raw } from '../../kit/http/index.ts';
import { type Checked, checkSignature, namesPath, refuseTimestamp } from '../check-signature.ts';
import { webhookErrors } from '../errors.ts';
import { createDeliveryLimit } from '../limit-deliveries.ts';
import { hasClientState, openNotifications } from '../open-microsoft.ts';
import { parseDelivery } from '../parse-delivery.ts';
import { providers } from '../providers.ts';
import { readPath } from '../read-path.ts';
import type { WebhookReceipt } from '../schema/webhooks.ts';
import { keyPlace, openText, sealText, secretPlace } from '../seal-secrets.ts';
import { countQueued, insertDelivery } from '../store/deliveries.ts';
import type { DeliveryRow, WebhookRow } from '../store/tables.ts';
import { countTriggers } from '../store/triggers.ts';
import { findWebhookByToken, markVerified, receiveSecret } from '../store/webhooks.ts';
import type { WebhookPorts } from './ports.ts';
import { DELIVERY_QUEUE } from './run-deliveries.ts';

/** Of one organization; a delivery has up to a mebibyte. */
const QUEUED_MAX = 200;
const NAME_CHARACTERS_MAX = 255;
/** Of one webhook, so that whoever sends nonsense does not fill the list. */
const REFUSALS_NOTED_PER_MINUTE = 6;
const TOKEN_CHARACTERS_MAX = 1000;
/** A run of the tasks ends within this many tries, in a quarter of an hour. */
const ATTEMPTS_MAX = 10;

export type DeliveryRequest = {
  token: string;
  validationToken: string | undefined;
  headers: IncomingHttpHeaders;
  body: unknown;
  setStatus(status: number): void;
};

export type Receive = (request: DeliveryRequest) => Promise<WebhookReceipt | RawReply>;

/** Takes what a provider posts: checks it, stores it once, and enqueues what its triggers start. */
export function createReceive(ports: WebhookPorts): Receive {
  const { database, tasks, box, now, log } = ports;
  const { db } = database;
  const isWithinLimit = createDeliveryLimit(now);
  const notesRefusal = createDeliveryLimit(now, REFUSALS_NOTED_PER_MINUTE, REFUSALS_NOTED_PER_MINUTE);

  async function findOpen(token: string): Promise<WebhookRow> {
    const webhook = await findWebhookByToken(db, token);
    if (!webhook) throw webhookErrors.webhook_address_unknown();
    if (!isWithinLimit(webhook.id)) throw webhookErrors.webhook_busy();
    if (webhook.expires_at !== null && Date.parse(webhook.expires_at) <= now()) throw webhookErrors.webhook_expired();
    return webhook;
  }

  const rowOf = (webhook: WebhookRow): DeliveryRow => {
    const receivedMs = now();
    return {
      id: uuidv7(receivedMs),
      webhook_id: webhook.id,
      organization_id: webhook.organization_id,
      digest: null,
      delivery_id: null,
      event_type: null,
      outcome: 'refused',
      detail: null,
      payload: null,
      received_at: isoMicros(() => receivedMs),
      received_ms: receivedMs,
    };
  };

  async function refuse(webhook: WebhookRow, detail: string): Promise<ApiError> {
    if (notesRefusal(webhook.id)) await database.transaction((tx) => insertDelivery(tx, { ...rowOf(webhook), detail }));
    return webhookErrors.webhook_delivery_refused(`This delivery was refused. ${detail}`);
  }

  /** The content of a delivery that is genuine and fresh. Throws what the provider gets otherwise. */
  async function check(
    webhook: WebhookRow,
    secret: string,
    { headers, bytes }: { headers: IncomingHttpHeaders; bytes: Buffer },
  ) {
    const { settings, provider } = webhook;
    const checked: Checked =
      provider === 'microsoft'
        ? { digest: hashOf(bytes), timestamp: undefined }
        : checkSignature(settings, secret, { headers, bytes });
    if ('refused' in checked) throw await refuse(webhook, checked.refused);
    const payload = parseDelivery(bytes, headers['content-type']);
    if (provider === 'microsoft' && !hasClientState(payload, secret))
      throw await refuse(webhook, 'A notification has not the client state of the webhook.');
    const { validity_period_second: validSeconds, timestamp_extractor_regex: source } = settings;
    if (validSeconds !== null && source !== null) {
      const timestamp = namesPath(source) ? readPath(source, { headers, body: payload }) : checked.timestamp;
      const late = refuseTimestamp(timestamp, validSeconds, now());
      if (late) throw await refuse(webhook, late);
    }
    return { digest: checked.digest, payload };
  }

  /** Notion sends its secret to the address, unsigned and before anything else; only the first one counts. */
  async function takeToken(webhook: WebhookRow, bytes: Buffer, contentType: string | undefined): Promise<void> {
    const token = (parseDelivery(bytes, contentType) as { verification_token?: unknown } | null)?.verification_token;
    if (typeof token !== 'string' || token === '' || token.length > TOKEN_CHARACTERS_MAX)
      throw await refuse(webhook, 'Notion sends its verification token first.');
    const sealed = sealText(box, log, token, secretPlace(webhook.id));
    await database.transaction((tx) => receiveSecret(tx, webhook.id, sealed, isoMicros(now)));
  }

  /** False for what came before. */
  async function store(webhook: WebhookRow, row: DeliveryRow): Promise<boolean> {
    const { id: webhook_id, organization_id: organization } = webhook;
    return database.transaction(async (tx) => {
      if (!webhook.url_verified) await markVerified(tx, webhook_id, isoMicros(now));
      const hasTriggers = (await countTriggers(tx, 'webhook_id', webhook_id)) > 0;
      const stored: DeliveryRow = hasTriggers
        ? row
        : { ...row, outcome: 'handled', detail: 'No trigger listens to this webhook.', payload: null };
      if (!(await insertDelivery(tx, stored))) return false;
      if (hasTriggers)
        await tasks.enqueue(tx, {
          queue: DELIVERY_QUEUE,
          payload: { delivery_id: row.id },
          tenant: { organization, key: webhook_id },
          attemptsMax: ATTEMPTS_MAX,
        });
      return true;
    });
  }

  return async ({ token, validationToken, headers, body, setStatus }) => {
    const webhook = await findOpen(token);
    const { provider, settings } = webhook;
    setStatus(settings.success_status_code ?? 200);
    if (provider === 'microsoft' && validationToken !== undefined) return raw(validationToken, 'text/plain');
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    if (webhook.sealed_secret === null) {
      await takeToken(webhook, bytes, headers['content-type']);
      return { received: true };
    }
    const secret = openText(box, webhook.sealed_secret, secretPlace(webhook.id));
    const { digest, payload } = await check(webhook, secret, { headers, bytes });
    if ((await countQueued(db, webhook.organization_id, QUEUED_MAX)) >= QUEUED_MAX) throw webhookErrors.webhook_busy();
    const key = webhook.sealed_key === null ? undefined : openText(box, webhook.sealed_key, keyPlace(webhook.id));
    const content = provider === 'microsoft' ? openNotifications(payload, key) : payload;
    const delivered = { headers, body: payload };
    const { deliveryIdPath } = providers[provider];
    const isNew = await store(webhook, {
      ...rowOf(webhook),
      digest,
      delivery_id: deliveryIdPath === undefined ? null : nameAt(deliveryIdPath, delivered),
      event_type: settings.event_type_path === null ? null : nameAt(settings.event_type_path, delivered),
      outcome: 'queued',
      payload: JSON.stringify(content),
    });
    const challenge = provider === 'slack' ? (payload as { challenge?: unknown } | null)?.challenge : undefined;
    return {
      received: true,
      ...(!isNew && { duplicate: true }),
      ...(typeof challenge === 'string' && { challenge }),
    };
  };
}

function nameAt(path: string, delivered: Parameters<typeof readPath>[1]): string | null {
  return readPath(path, delivered)?.replaceAll('\0', '\ufffd').slice(0, NAME_CHARACTERS_MAX) ?? null;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
