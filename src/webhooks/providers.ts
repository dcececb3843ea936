import type { WebhookProvider, WebhookSettings } from './schema/webhooks.ts';

type Provider = {
  settings: WebhookSettings;
  /** Where a delivery has its own id, in the form of `event_type_path`. */
  deliveryIdPath: string | undefined;
  /** Takes any secret, so that the server can make one. */
  takesOurSecret: boolean;
};

const unsigned: WebhookSettings = {
  signature_hash_algorithm: null,
  signature_header_name: null,
  validity_period_second: null,
  signature_extractor_regex: null,
  timestamp_extractor_regex: null,
  signature_payload_pattern: null,
  signature_encoding: null,
  success_status_code: 200,
  event_type_path: null,
};

/** A signature over the body in hexadecimal, after `sha256=`. */
const signed: WebhookSettings = {
  ...unsigned,
  signature_hash_algorithm: 'sha256',
  signature_extractor_regex: 'sha256=(.*)',
  signature_payload_pattern: '{body}',
  signature_encoding: 'hex',
};

/** How each provider signs; what a webhook sets itself replaces it. */
export const providers: Record<WebhookProvider, Provider> = {
  slack: {
    settings: {
      ...signed,
      signature_header_name: 'X-Slack-Signature',
      signature_extractor_regex: 'v0=(.*)',
      timestamp_extractor_regex: 'headers.X-Slack-Request-Timestamp',
      signature_payload_pattern: 'v0:{timestamp}:{body}',
      validity_period_second: 300,
      event_type_path: 'body.event.type || body.type',
    },
    deliveryIdPath: 'body.event_id',
    takesOurSecret: false,
  },
  github: {
    settings: {
      ...signed,
      signature_header_name: 'X-Hub-Signature-256',
      event_type_path: 'headers.X-GitHub-Event',
    },
    deliveryIdPath: 'headers.X-GitHub-Delivery',
    takesOurSecret: true,
  },
  notion: {
    settings: { ...signed, signature_header_name: 'X-Notion-Signature', event_type_path: 'body.type' },
    deliveryIdPath: 'body.id',
    takesOurSecret: false,
  },
  linear: {
    settings: {
      ...signed,
      signature_header_name: 'Linear-Signature',
      signature_extractor_regex: '(.*)',
      timestamp_extractor_regex: 'body.webhookTimestamp',
      validity_period_second: 300,
      event_type_path: 'body.type',
    },
    deliveryIdPath: 'headers.Linear-Delivery',
    takesOurSecret: false,
  },
  ashby: {
    settings: { ...signed, signature_header_name: 'Ashby-Signature', event_type_path: 'body.action' },
    deliveryIdPath: undefined,
    takesOurSecret: true,
  },
  // Its notifications are not signed: each repeats a secret that the subscription names.
  microsoft: {
    settings: { ...unsigned, success_status_code: 202, event_type_path: 'body.value.0.changeType' },
    deliveryIdPath: undefined,
    takesOurSecret: true,
  },
  // Its signature differs by product, so a webhook has to say it.
  lucca: {
    settings: { ...signed, event_type_path: 'body.type' },
    deliveryIdPath: undefined,
    takesOurSecret: false,
  },
  custom: {
    settings: { ...signed, signature_header_name: 'X-Signature-256', event_type_path: 'body.type' },
    deliveryIdPath: 'headers.webhook-id',
    takesOurSecret: true,
  },
};
