import { z } from 'zod';
import { type AnyRoute, route } from '../kit/http/index.ts';
import {
  CreatedNotificationEndpoint,
  CreateNotificationEndpoint,
  DeliveriesQuery,
  DeliveryParams,
  EndpointParams,
  NotificationDeliveries,
  NotificationDelivery,
  NotificationEndpoint,
  NotificationEndpoints,
  NotificationSecret,
  UpdateNotificationEndpoint,
} from './schema/endpoints.ts';
import type { NotificationService } from './service/index.ts';

const ENDPOINTS = '/v1/notifications/endpoints';
const ENDPOINT = `${ENDPOINTS}/:endpoint_id`;
const Nothing = z.strictObject({}).optional();

export function notificationRoutes(room: NotificationService): AnyRoute[] {
  const tags = ['notifications (of this server)'];
  const read = { tags, permission: 'notifications:read' };
  const write = { tags, permission: 'notifications:write' };
  return [
    route({
      ...read,
      method: 'GET',
      path: ENDPOINTS,
      operationId: 'list_notification_endpoints',
      summary: 'List the addresses that are told what happens, newest first',
      response: NotificationEndpoints,
      handler: ({ scope }) => room.endpoints.list(scope),
    }),
    route({
      ...write,
      method: 'POST',
      path: ENDPOINTS,
      operationId: 'create_notification_endpoint',
      summary: 'Add an address; its secret is shown in this answer only',
      creates: true,
      remembers: (created: CreatedNotificationEndpoint) => ({ ...created, secret: null }),
      status: 201,
      body: CreateNotificationEndpoint,
      response: CreatedNotificationEndpoint,
      alsoAnswers: [503],
      handler: ({ scope, body }) => room.endpoints.create(scope, body),
    }),
    route({
      ...read,
      method: 'GET',
      path: ENDPOINT,
      operationId: 'get_notification_endpoint',
      summary: 'Read an endpoint',
      params: EndpointParams,
      response: NotificationEndpoint,
      handler: ({ scope, params }) => room.endpoints.get(scope, params.endpoint_id),
    }),
    route({
      ...write,
      method: 'PATCH',
      path: ENDPOINT,
      operationId: 'update_notification_endpoint',
      summary: 'Change an endpoint, or enable it again',
      params: EndpointParams,
      body: UpdateNotificationEndpoint,
      response: NotificationEndpoint,
      handler: ({ scope, params, body }) => room.endpoints.update(scope, params.endpoint_id, body),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: ENDPOINT,
      operationId: 'delete_notification_endpoint',
      summary: 'Delete an endpoint with its deliveries',
      status: 204,
      params: EndpointParams,
      handler: ({ scope, params }) => room.endpoints.remove(scope, params.endpoint_id),
    }),
    route({
      ...write,
      method: 'POST',
      path: `${ENDPOINT}/rotate-secret`,
      operationId: 'rotate_notification_secret',
      summary: 'Make a new secret; the one before signs for another day',
      params: EndpointParams,
      body: Nothing,
      response: NotificationSecret,
      alsoAnswers: [404, 503],
      handler: ({ scope, params }) => room.endpoints.rotateSecret(scope, params.endpoint_id),
    }),
    route({
      ...write,
      method: 'POST',
      path: `${ENDPOINT}/test`,
      operationId: 'test_notification_endpoint',
      summary: 'Send a test message',
      creates: true,
      status: 201,
      params: EndpointParams,
      body: Nothing,
      response: NotificationDelivery,
      alsoAnswers: [404, 409, 429],
      handler: ({ scope, params }) => room.endpoints.test(scope, params.endpoint_id),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${ENDPOINT}/deliveries`,
      operationId: 'list_notification_deliveries',
      summary: 'List deliveries with their outcome, newest first',
      params: EndpointParams,
      query: DeliveriesQuery,
      response: NotificationDeliveries,
      handler: ({ scope, params, query }) => room.endpoints.deliveries(scope, params.endpoint_id, query),
    }),
    route({
      ...write,
      method: 'POST',
      path: `${ENDPOINT}/deliveries/:delivery_id/replay`,
      operationId: 'replay_notification_delivery',
      summary: 'Send a message again, under the same id',
      params: DeliveryParams,
      body: Nothing,
      response: NotificationDelivery,
      alsoAnswers: [409],
      handler: ({ scope, params }) => room.endpoints.replay(scope, params.endpoint_id, params.delivery_id),
    }),
  ];
}
