import { prepareCapture } from '../kit/capture/index.ts';
import { namesPath } from './check-signature.ts';
import { webhookErrors } from './errors.ts';
import { isPath } from './read-path.ts';
import type { CreateWebhook, WebhookProvider, WebhookSettings } from './schema/webhooks.ts';

const PARTS = /\{(?!body\}|timestamp\}|headers\.[A-Za-z0-9_-]+\})/;

const PATTERN = 'it is a regular expression with a group, eg sha256=(.*), without looks around and back references';

/** Throws what no schema can state: patterns that do not work, and settings that contradict each other. */
export function checkSettings(provider: WebhookProvider, settings: WebhookSettings, request: CreateWebhook): void {
  const refuse = (field: keyof CreateWebhook, message: string) =>
    webhookErrors.webhook_invalid(['body', field], message, request[field]);
  const pattern = settings.signature_payload_pattern ?? '';
  if (provider !== 'microsoft' && settings.signature_header_name === null)
    throw refuse('signature_header_name', 'this provider needs the name of the header with the signature');
  if (provider === 'microsoft' && settings.signature_header_name !== null)
    throw refuse('signature_header_name', 'Microsoft does not sign its notifications');
  if (provider !== 'microsoft' && request.encryption_key)
    throw refuse('encryption_key', 'only Microsoft encrypts what it sends');
  for (const field of ['signature_extractor_regex', 'timestamp_extractor_regex'] as const) {
    const source = settings[field];
    if (source === null || (field === 'timestamp_extractor_regex' && namesPath(source))) continue;
    if (!prepareCapture(source)) throw refuse(field, PATTERN);
  }
  if (settings.event_type_path !== null && !isPath(settings.event_type_path))
    throw refuse('event_type_path', 'it is a path such as body.type or headers.X-Event');
  if (settings.signature_header_name === null) return;
  if (PARTS.test(pattern) || !pattern.includes('{body}'))
    throw refuse('signature_payload_pattern', 'it has {body}, and may have {timestamp} and {headers.Name}');
  const timestamp = settings.timestamp_extractor_regex;
  if (pattern.includes('{timestamp}') && (timestamp === null || timestamp.startsWith('body.')))
    throw refuse('timestamp_extractor_regex', 'the payload pattern has {timestamp}, so a header must have one');
  if (settings.validity_period_second !== null && timestamp === null)
    throw refuse('validity_period_second', 'a validity period needs timestamp_extractor_regex');
}
