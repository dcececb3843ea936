import { queryOptions } from '@tanstack/react-query';
import type { ConsoleError, ConsoleHealth } from '../../../../src/console/schema/health.ts';
import type { QuarantinedWork } from '../../../../src/console/schema/quarantine.ts';
import type { ConsoleInvitations } from '../../../../src/console/schema/session.ts';
import type { ConsoleLimits } from '../../../../src/console/schema/usage.ts';
import { api } from '../../api/api.ts';

const liveMs = 5_000;
const errorsMax = 200;

export const healthQuery = queryOptions({
  queryKey: ['home', 'health'],
  queryFn: () => api.get<ConsoleHealth>('/console/api/health'),
  refetchInterval: liveMs,
});

export const quarantineQuery = queryOptions({
  queryKey: ['home', 'quarantine'],
  queryFn: () => api.get<QuarantinedWork>('/console/api/quarantine'),
  refetchInterval: liveMs,
});

export const invitationsQuery = queryOptions({
  queryKey: ['home', 'invitations'],
  queryFn: () => api.get<ConsoleInvitations>('/console/api/invitations'),
});

const limitsMs = 60_000;
export const limitsQuery = queryOptions({
  queryKey: ['home', 'limits'],
  queryFn: () => api.get<{ scopes: ConsoleLimits[] }>('/console/api/limits'),
  refetchInterval: limitsMs,
});

export const errorsQuery = queryOptions({
  queryKey: ['home', 'errors'],
  queryFn: () => api.get<{ errors: ConsoleError[] }>('/console/api/errors', { query: { limit: errorsMax } }),
  refetchInterval: liveMs,
});
