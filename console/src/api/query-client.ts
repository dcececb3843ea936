import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { onRecovery } from './reachability.ts';

/** Retries once on network and server errors; a rejected request would be rejected again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The server may be on this machine or network, whatever the browser thinks of the internet.
      networkMode: 'always',
      retry: (failures, error) =>
        !(error instanceof ApiError && error.status >= 400 && error.status < 500) && failures < 1,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

onRecovery(() => void queryClient.invalidateQueries());
