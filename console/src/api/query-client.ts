import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** What the server refused it will refuse again; only what did not arrive or failed inside is tried once more. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) =>
        !(error instanceof ApiError && error.status >= 400 && error.status < 500) && failures < 1,
    },
    mutations: { retry: false },
  },
});
