import { queryOptions } from '@tanstack/react-query';
import type {
  NotificationDeliveries,
  NotificationEndpoint,
  NotificationEndpoints,
} from '../../../../src/notifications/schema/endpoints.ts';
import { api } from '../../api/api.ts';

export type { NotificationEndpoint };
export type Delivery = NotificationDeliveries['data'][number];

const DELIVERIES = 50;
/** While a message is on its way. */
const LOOK_AGAIN_MS = 2000;

export const endpointsKey = ['notifications'] as const;
export const endpointsPath = '/v1/notifications/endpoints';
export const endpointPath = (id: string) => `${endpointsPath}/${encodeURIComponent(id)}`;

export const endpointsQuery = queryOptions({
  queryKey: endpointsKey,
  queryFn: ({ signal }) => api.get<NotificationEndpoints>(endpointsPath, { signal }),
  select: ({ data }: NotificationEndpoints) => data,
});

export const endpointQuery = (id: string) =>
  queryOptions({
    queryKey: [...endpointsKey, id],
    queryFn: ({ signal }) => api.get<NotificationEndpoint>(endpointPath(id), { signal }),
  });

export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: [...endpointsKey, id, 'deliveries'],
    queryFn: ({ signal }) =>
      api.get<NotificationDeliveries>(`${endpointPath(id)}/deliveries`, { signal, query: { page_size: DELIVERIES } }),
    select: ({ data }: NotificationDeliveries) => data,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === 'pending') ? LOOK_AGAIN_MS : false,
  });
