import { queryOptions } from '@tanstack/react-query';
import type { Approval, ConsoleApprovals } from '../../../src/console/schema/approvals.ts';
import { api } from './api.ts';

export type { Approval };

/** What waits for the user in this workspace. Read again every so often, for the badge of the navigation. */
export const approvalsQuery = queryOptions({
  queryKey: ['approvals'],
  queryFn: ({ signal }) => api.get<ConsoleApprovals>('/console/api/approvals', { signal }),
  refetchInterval: 30_000,
  refetchOnWindowFocus: true,
});
