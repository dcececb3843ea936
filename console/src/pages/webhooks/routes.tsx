import { createLazyRoute } from '@tanstack/react-router';
import { WebhookPage } from './webhook-page.tsx';
import { WebhooksPage } from './webhooks-page.tsx';

export const list = createLazyRoute('/shell/webhooks')({ component: WebhooksPage });
export const webhook = createLazyRoute('/shell/webhooks/$webhookId')({ component: WebhookPage });
