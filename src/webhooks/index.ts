export { webhookErrors } from './errors.ts';
export { webhookRoutes } from './routes/index.ts';
export { resealWebhookSecrets } from './seal-secrets.ts';
export { createWebhookService, type WebhookService } from './service/index.ts';
export type { TriggerTarget } from './service/ports.ts';
export { deleteWebhooksOf } from './store/webhooks.ts';
