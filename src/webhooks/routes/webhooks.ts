import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  CreateWebhook,
  LatestQuery,
  Webhook,
  WebhookDeliveries,
  WebhookList,
  WebhookParams,
  WebhookSigningSecret,
} from '../schema/webhooks.ts';
import type { WebhookService } from '../service/index.ts';

const tags = ['beta.webhooks'];

export function webhookRoutes(room: WebhookService): AnyRoute[] {
  const read = { tags, permission: 'webhooks:read' };
  const write = { tags, permission: 'webhooks:write' };
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/webhooks',
      operationId: 'list_webhooks_v1_webhooks_get',
      summary: 'List webhooks, newest first',
      response: WebhookList,
      handler: (context) => room.webhooks.list(context),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/webhooks',
      operationId: 'create_webhook_v1_webhooks_post',
      summary: 'Create an address that a provider posts to',
      creates: true,
      status: 201,
      body: CreateWebhook,
      response: Webhook,
      alsoAnswers: [503],
      handler: (context) => room.webhooks.create(context, context.body),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/webhooks/:webhook_id',
      operationId: 'get_webhook_v1_webhooks__webhook_id__get',
      summary: 'Read a webhook',
      params: WebhookParams,
      response: Webhook,
      handler: (context) => room.webhooks.get(context, context.params.webhook_id),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/webhooks/:webhook_id',
      operationId: 'delete_webhook_v1_webhooks__webhook_id__delete',
      summary: 'Delete a webhook with its triggers',
      status: 204,
      params: WebhookParams,
      handler: ({ scope, params }) => room.webhooks.remove(scope, params.webhook_id),
    }),
    route({
      ...write,
      method: 'GET',
      path: '/v1/webhooks/:webhook_id/signing-secret',
      operationId: 'get_webhook_signing_secret_v1_webhooks__webhook_id__signing_secret_get',
      summary: 'Read the secret that Notion sent, or that this server made, until the first signed delivery',
      params: WebhookParams,
      response: WebhookSigningSecret,
      alsoAnswers: [409, 503],
      handler: ({ scope, params }) => room.webhooks.signingSecret(scope, params.webhook_id),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/webhooks/:webhook_id/deliveries',
      operationId: 'list_webhook_deliveries',
      summary: 'List the latest deliveries with their outcome (an addition of this server)',
      params: WebhookParams,
      query: LatestQuery,
      response: WebhookDeliveries,
      handler: ({ scope, params, query }) => room.webhooks.deliveries(scope, params.webhook_id, query.limit),
    }),
  ];
}
