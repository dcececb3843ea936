import type { AnyRoute } from '../../kit/http/index.ts';
import type { WebhookService } from '../service/index.ts';
import { receiveRoutes } from './receive.ts';
import { triggerRoutes } from './triggers.ts';
import { webhookRoutes as catalogueRoutes } from './webhooks.ts';

export function webhookRoutes(room: WebhookService): AnyRoute[] {
  return [...catalogueRoutes(room), ...triggerRoutes(room), ...receiveRoutes(room)];
}
