import { type AnyRoute, route } from '../../kit/http/index.ts';
import { DeliveredBody, ReceiveParams, ReceiveQuery, WebhookReceipt } from '../schema/webhooks.ts';
import type { WebhookService } from '../service/index.ts';
import { RECEIVE_PATH } from '../show-webhook.ts';

export function receiveRoutes(room: WebhookService): AnyRoute[] {
  return [
    route({
      tags: ['beta.webhooks'],
      permission: 'public',
      method: 'POST',
      path: `${RECEIVE_PATH}/:token`,
      operationId: 'receive_webhook_delivery',
      summary: 'Where a provider posts: its signature is checked, no key is needed (an addition of this server)',
      rawBody: ['*'],
      params: ReceiveParams,
      query: ReceiveQuery,
      body: DeliveredBody,
      response: WebhookReceipt,
      alsoAnswers: [401, 404, 410, 429, 503],
      handler: (context) =>
        room.receive({
          token: context.params.token,
          validationToken: context.query.validationToken,
          headers: context.headers,
          body: context.body,
          setStatus: (status) => context.setStatus(status),
        }),
    }),
  ];
}
