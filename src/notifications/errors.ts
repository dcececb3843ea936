import { defineErrors, missing } from '../kit/http/index.ts';

export const notificationErrors = defineErrors({
  notification_endpoint_not_found: missing('notification endpoint'),
  notification_delivery_not_found: missing('notification delivery'),
  notification_limit_reached: {
    status: 409,
    when: 'The workspace has as many notification endpoints as it may have.',
    fix: 'Delete some that are not used.',
    message: (max: number) => `The workspace has ${max} notification endpoints already. Delete some that are not used.`,
  },
  notification_endpoint_disabled: {
    status: 409,
    when: 'A test or a replay was asked for on an endpoint that is disabled.',
    fix: 'Enable the endpoint first.',
    message: 'The endpoint is disabled. Enable it first.',
  },
  notification_delivery_pending: {
    status: 409,
    when: 'A replay was asked for while the delivery is still tried.',
    fix: 'Wait until it was delivered or has failed.',
    message: 'The delivery is still tried. Wait until it was delivered or has failed.',
  },
  notification_backlog_full: {
    status: 429,
    when: 'Too many deliveries of the endpoint wait.',
    fix: 'Wait until the receiver has taken them.',
    message: 'Too many deliveries of this endpoint wait. Try again later.',
    retryAfterSeconds: 60,
  },
  notification_secrets_unavailable: {
    status: 503,
    when: 'The key that encrypts secrets cannot be read or written.',
    fix: 'The operator checks `secrets.key` in the data dir, or `TRAMONTANE_SECRETS_KEY`.',
    message: 'Secrets cannot be read or stored now: the key that encrypts them is not available.',
  },
  notification_url_invalid: {
    status: 422,
    when: 'The address of a notification endpoint is no public http or https address.',
    fix: 'Use a public address, or ask the operator to add it to `outbound.allow`.',
  },
});
