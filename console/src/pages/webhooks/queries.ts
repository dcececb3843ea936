import { queryOptions } from '@tanstack/react-query';
import type { Trigger, TriggerEventList } from '../../../../src/webhooks/schema/triggers.ts';
import type { Webhook, WebhookDeliveries } from '../../../../src/webhooks/schema/webhooks.ts';
import { api } from '../../api/api.ts';

export type { Trigger, Webhook };

const LATEST = 50;
const LOOK_AGAIN_MS = 3000;

export const webhooksKey = ['webhooks'] as const;
export const webhooksPath = '/v1/webhooks';
export const triggersPath = '/v1/triggers';
export const webhookPath = (id: string) => `${webhooksPath}/${encodeURIComponent(id)}`;
export const triggerPath = (id: string) => `${triggersPath}/${encodeURIComponent(id)}`;

export const webhooksQuery = queryOptions({
  queryKey: webhooksKey,
  queryFn: ({ signal }) => api.get<Webhook[]>(webhooksPath, { signal }),
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: [...webhooksKey, id],
    queryFn: ({ signal }) => api.get<Webhook>(webhookPath(id), { signal }),
  });

export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: [...webhooksKey, id, 'deliveries'],
    queryFn: ({ signal }) =>
      api.get<WebhookDeliveries>(`${webhookPath(id)}/deliveries`, { signal, query: { limit: LATEST } }),
    select: ({ data }: WebhookDeliveries) => data,
    refetchInterval: LOOK_AGAIN_MS,
  });

export const triggersQuery = (webhookId: string) =>
  queryOptions({
    queryKey: [...webhooksKey, webhookId, 'triggers'],
    queryFn: ({ signal }) => api.get<Trigger[]>(triggersPath, { signal, query: { event_source_id: webhookId } }),
  });

export const eventsQuery = (triggerId: string) =>
  queryOptions({
    queryKey: [...webhooksKey, 'events', triggerId],
    queryFn: ({ signal }) =>
      api.get<TriggerEventList>(`${triggerPath(triggerId)}/events`, { signal, query: { limit: LATEST } }),
    select: ({ data }: TriggerEventList) => data,
    refetchInterval: LOOK_AGAIN_MS,
  });
