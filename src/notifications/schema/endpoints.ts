import { z } from 'zod';
import { queryInt } from '../../kit/http/index.ts';
import { eventTypes } from './event-types.ts';

const URL_CHARACTERS_MAX = 2048;
const DESCRIPTION_CHARACTERS_MAX = 500;
const TOKEN_CHARACTERS_MAX = 1000;

export const NotificationEventType = z.enum(eventTypes).meta({ id: 'NotificationEventType' });
export type NotificationEventType = z.infer<typeof NotificationEventType>;
/** Sent on request only. */
export const TEST_EVENT = 'notification.test';

/** PostgreSQL cannot store NUL in a text. */
const storableText = z.string().overwrite((text) => text.replaceAll('\0', '\ufffd'));

const Covers = z.enum(['workspace', 'organization']);
const EndpointStatus = z.enum(['enabled', 'disabled']);

const url = z.string().min(1).max(URL_CHARACTERS_MAX);
const description = storableText.max(DESCRIPTION_CHARACTERS_MAX);
const event_types = z.array(NotificationEventType).min(1).max(eventTypes.length).nullable();

export const CreateNotificationEndpoint = z
  .strictObject({
    url,
    description: description.default(''),
    /** Null is all, also those that are added later. */
    event_types: event_types.default(null),
    covers: Covers.default('workspace'),
  })
  .meta({ id: 'CreateNotificationEndpoint' });
export type CreateNotificationEndpoint = z.infer<typeof CreateNotificationEndpoint>;

export const UpdateNotificationEndpoint = z
  .strictObject({
    url: url.optional(),
    description: description.optional(),
    event_types: event_types.optional(),
    status: EndpointStatus.optional(),
  })
  .meta({ id: 'UpdateNotificationEndpoint' });
export type UpdateNotificationEndpoint = z.infer<typeof UpdateNotificationEndpoint>;

const endpoint = {
  id: z.uuid(),
  organization_id: z.string(),
  workspace_id: z.string(),
  covers: Covers,
  creator_id: z.string(),
  url: z.string(),
  description: z.string(),
  event_types: event_types,
  status: EndpointStatus,
  /** Why the server disabled it. */
  disabled_reason: z.string().nullable(),
  failing_since: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

export const NotificationEndpoint = z.object(endpoint).meta({ id: 'NotificationEndpoint' });
export type NotificationEndpoint = z.infer<typeof NotificationEndpoint>;

/** The secret is shown here and never again; null where the answer is repeated. */
export const CreatedNotificationEndpoint = z
  .object({ ...endpoint, secret: z.string().nullable() })
  .meta({ id: 'CreatedNotificationEndpoint' });
export type CreatedNotificationEndpoint = z.infer<typeof CreatedNotificationEndpoint>;

export const NotificationEndpoints = z
  .object({ data: z.array(NotificationEndpoint) })
  .meta({ id: 'NotificationEndpoints' });
export type NotificationEndpoints = z.infer<typeof NotificationEndpoints>;

export const NotificationSecret = z
  .object({ secret: z.string(), previous_valid_until: z.iso.datetime() })
  .meta({ id: 'NotificationSecret' });
export type NotificationSecret = z.infer<typeof NotificationSecret>;

export const DeliveryStatus = z.enum(['pending', 'delivered', 'failed']);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const NotificationDelivery = z
  .object({
    id: z.uuid(),
    endpoint_id: z.uuid(),
    message_id: z.string(),
    event_type: z.string(),
    payload: z.record(z.string(), z.unknown()),
    status: DeliveryStatus,
    attempts: z.int(),
    response_status: z.int().nullable(),
    error: z.string().nullable(),
    next_attempt_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'NotificationDelivery' });
export type NotificationDelivery = z.infer<typeof NotificationDelivery>;

export const NotificationDeliveries = z
  .object({ data: z.array(NotificationDelivery), next_page_token: z.string().nullable() })
  .meta({ id: 'NotificationDeliveries' });
export type NotificationDeliveries = z.infer<typeof NotificationDeliveries>;

export const EndpointParams = z.strictObject({ endpoint_id: z.uuid() });
export const DeliveryParams = z.strictObject({ endpoint_id: z.uuid(), delivery_id: z.uuid() });

export const DeliveriesQuery = z.strictObject({
  status: DeliveryStatus.optional(),
  page_size: queryInt().min(1).max(100).default(20),
  page_token: z.string().max(TOKEN_CHARACTERS_MAX).optional(),
});
export type DeliveriesQuery = z.infer<typeof DeliveriesQuery>;
