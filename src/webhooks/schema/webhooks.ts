import { z } from 'zod';
import { queryInt } from '../../kit/http/index.ts';

const NAME_CHARACTERS_MAX = 255;
const SECRET_CHARACTERS_MAX = 4096;
const KEY_CHARACTERS_MAX = 16_384;
const PATTERN_CHARACTERS_MAX = 512;
const DAY_SECONDS = 24 * 60 * 60;

/** PostgreSQL cannot store NUL in a text. */
export const storableText = z.string().overwrite((text) => text.replaceAll('\0', '\ufffd'));

export const TriggersOwnerType = z.enum(['workspace', 'user']).meta({ id: 'TriggersOwnerType' });

export const WebhookProvider = z
  .enum(['slack', 'github', 'notion', 'lucca', 'linear', 'microsoft', 'ashby', 'custom'])
  .meta({ id: 'WebhookProvider' });
export type WebhookProvider = z.infer<typeof WebhookProvider>;

const WebhookSignatureHashAlgorithm = z.enum(['sha256', 'sha1']).meta({ id: 'WebhookSignatureHashAlgorithm' });
const WebhookSignatureEncoding = z.enum(['hex', 'base64']).meta({ id: 'WebhookSignatureEncoding' });

const pattern = storableText.min(1).max(PATTERN_CHARACTERS_MAX).nullable();

/** How the signature of a delivery is found and checked. */
const settings = {
  signature_hash_algorithm: WebhookSignatureHashAlgorithm.nullable(),
  signature_header_name: z
    .string()
    .max(128)
    .regex(/^[A-Za-z0-9_-]+$/)
    .nullable(),
  validity_period_second: z.int().min(1).max(DAY_SECONDS).nullable(),
  signature_extractor_regex: pattern,
  timestamp_extractor_regex: pattern,
  signature_payload_pattern: pattern,
  signature_encoding: WebhookSignatureEncoding.nullable(),
  success_status_code: z.int().min(200).max(299).nullable(),
  event_type_path: pattern,
};
export const WebhookSettings = z.object(settings);
export type WebhookSettings = z.infer<typeof WebhookSettings>;

export const CreateWebhook = z
  .strictObject({
    provider: WebhookProvider,
    name: storableText.min(1).max(NAME_CHARACTERS_MAX),
    owner_type: TriggersOwnerType.default('workspace'),
    secret: storableText.min(8).max(SECRET_CHARACTERS_MAX).nullable().optional(),
    encryption_key: storableText.min(1).max(KEY_CHARACTERS_MAX).nullable().optional(),
    expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
    ...z.object(settings).partial().shape,
  })
  .meta({ id: 'CreateWebhook' });
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const Webhook = z
  .object({
    id: z.uuid(),
    creator_id: z.string(),
    organization_id: z.string(),
    workspace_id: z.string(),
    owner_type: TriggersOwnerType,
    provider: WebhookProvider,
    name: z.string(),
    url: z.string(),
    http_method: z.string(),
    url_verified: z.boolean().nullable(),
    ...settings,
    expires_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

export const WebhookList = z.array(Webhook);

export const WebhookParams = z.strictObject({ webhook_id: z.uuid() });

export const WebhookSigningSecret = z.object({ signing_secret: z.string() }).meta({ id: 'WebhookSigningSecret' });
export type WebhookSigningSecret = z.infer<typeof WebhookSigningSecret>;

/** `refused`: it was not accepted, `handled`: every trigger has its outcome. */
export const DeliveryOutcome = z.enum(['queued', 'handled', 'refused']);
export type DeliveryOutcome = z.infer<typeof DeliveryOutcome>;

const WebhookDelivery = z
  .object({
    id: z.uuid(),
    event_type: z.string().nullable(),
    outcome: DeliveryOutcome,
    detail: z.string().nullable(),
    received_at: z.iso.datetime(),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveries = z.object({ data: z.array(WebhookDelivery) }).meta({ id: 'WebhookDeliveries' });
export type WebhookDeliveries = z.infer<typeof WebhookDeliveries>;

export const LatestQuery = z.strictObject({ limit: queryInt().min(1).max(100).default(10) });

export const ReceiveParams = z.strictObject({ token: z.string().max(128) });
/** Microsoft asks for its own token back. Whatever else a provider adds to the address is ignored. */
export const ReceiveQuery = z.object({ validationToken: z.string().max(4096).optional() });

/** A delivery is any JSON, or a form; its bytes are signed. */
export const DeliveredBody = z.unknown().meta({ id: 'WebhookPayload' });

export const WebhookReceipt = z
  .object({ received: z.boolean(), duplicate: z.boolean().optional(), challenge: z.string().optional() })
  .meta({ id: 'WebhookReceipt' });
export type WebhookReceipt = z.infer<typeof WebhookReceipt>;
