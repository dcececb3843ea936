import { defineErrors } from '../kit/http/index.ts';

const rateLimit = { status: 429, type: 'rate_limited', wireCode: '1300' } as const;

export const meteringErrors = defineErrors({
  rate_limit_exceeded: {
    ...rateLimit,
    fix: 'Wait as long as `Retry-After` says; the `x-ratelimit-*` headers show what is left.',
    message: 'Rate limit exceeded',
  },
  budget_spent: {
    ...rateLimit,
    when: 'The monthly budget of the key, its workspace or its organization is spent.',
    fix: 'Ask an administrator to raise the budget, or wait for the next month (UTC).',
  },
  model_not_allowed: {
    status: 403,
    when: 'The key may use other models only.',
    fix: 'Use a model that `GET /v1/models` lists for this key, or a key that may use it.',
    message: (model: string) =>
      `This API key may not use the model ${model}. GET /v1/models lists those that it may use.`,
  },
  storage_limit_exceeded: {
    status: 413,
    when: 'What the workspace or its organization stores has reached its limit.',
    fix: 'Delete files, conversations or other objects that are no longer needed, or ask an administrator for a higher limit.',
    message: (whose: string, usedMib: string, limitMib: string, askedMib: string) =>
      `The ${whose} stores ${usedMib} of ${limitMib} MiB, and this needs ${askedMib} MiB more. Delete what is no longer needed, or ask an administrator for a higher limit.`,
  },
  budget_held: {
    ...rateLimit,
    when: 'What is left of a monthly budget may be needed by requests that are under way.',
    fix: 'Wait as long as `Retry-After` says; set `max_tokens`, so that a request holds back less.',
  },
  limit_invalid: {
    status: 400,
    when: 'A limit is not a whole number, or too small.',
    fix: 'Send a whole number, or null for no limit.',
    message: (name: string, min: number) => `${name} must be a whole number from ${min}, or null for no limit.`,
  },
  limits_unavailable: {
    status: 503,
    fix: 'Try again.',
    message: 'The database cannot be reached. Try again in a moment.',
    retryAfterSeconds: 1,
  },
  client_disconnected: {
    status: 499,
    fix: 'Nothing; the request was cancelled.',
    message: 'The client closed the connection.',
  },
});
