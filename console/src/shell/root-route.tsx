import { createRootRoute, createRoute, redirect } from '@tanstack/react-router';
import { ApiError } from '../api/api.ts';
import { queryClient } from '../api/query-client.ts';
import { sessionQuery } from '../api/session.ts';
import { Layout } from './layout.tsx';
import { Root } from './root.tsx';

export const rootRoute = createRootRoute({ component: Root });

/** The parent of every page behind the sign-in. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        throw redirect({ to: '/sign-in', search: { to: location.href } });
      }
      throw error;
    }
  },
  component: Layout,
});
