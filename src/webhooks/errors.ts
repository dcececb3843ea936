import { defineErrors, missing } from '../kit/http/index.ts';

export const webhookErrors = defineErrors({
  webhook_not_found: missing('webhook'),
  trigger_not_found: missing('trigger'),
  webhook_address_unknown: {
    status: 404,
    when: 'A delivery came to an address that no webhook has.',
    fix: 'Give the provider the `url` of the webhook, or remove the address there.',
    message: 'No webhook has this address. Give the provider the url of the webhook.',
  },
  webhook_expired: {
    status: 410,
    when: 'A delivery came to a webhook whose `expires_at` has passed.',
    fix: 'Create another webhook and give its `url` to the provider.',
    message: 'This webhook has expired. Create another one and give its url to the provider.',
  },
  webhook_delivery_refused: {
    status: 401,
    when: 'A delivery has no signature, a wrong one, or a timestamp outside the validity period of the webhook.',
    fix: 'Compare the secret and the signature settings of the webhook with those of the provider.',
  },
  webhook_busy: {
    status: 429,
    when: 'A webhook gets more deliveries per minute than it may, or too many of its deliveries wait.',
    fix: 'Providers send again by themselves; send fewer, or use several webhooks.',
    message: 'This webhook gets too many deliveries. Send again later.',
    retryAfterSeconds: 10,
  },
  webhook_secret_hidden: {
    status: 409,
    when: 'The signing secret is not one that Notion or this server made, or a signed delivery has come already.',
    fix: 'Look the secret up where it was made, or create another webhook.',
    message:
      'The signing secret of this webhook is not shown. Look it up where it was made, or create another webhook.',
  },
  webhook_secret_missing: {
    status: 409,
    when: 'Notion has not sent its verification token yet.',
    fix: 'Enter the `url` of the webhook in Notion, then ask again.',
    message: 'Notion has not sent its verification token yet. Enter the url of the webhook there, then ask again.',
  },
  webhook_limit_reached: {
    status: 409,
    when: 'The workspace has as many webhooks or triggers as it may have.',
    fix: 'Delete some that are not used.',
    message: (kind: string, max: number) => `The workspace has ${max} ${kind} already. Delete some that are not used.`,
  },
  webhook_secrets_unavailable: {
    status: 503,
    when: 'The key that encrypts secrets cannot be read or written.',
    fix: 'The operator checks `secrets.key` in the data dir, or `TRAMONTANE_SECRETS_KEY`.',
    message: 'Secrets cannot be read or stored now: the key that encrypts them is not available.',
  },
  webhook_invalid: {
    status: 422,
    when: 'The signature settings of a webhook contradict each other, or one of its patterns cannot be used.',
    fix: 'Change the field that is named.',
  },
  trigger_invalid: {
    status: 422,
    when: 'The action, the handler or the filter of a trigger cannot be used.',
    fix: 'Change the field that is named.',
  },
});
