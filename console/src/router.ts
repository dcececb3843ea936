import { createRouter } from '@tanstack/react-router';
import { routeTree } from './routes.ts';
import { AreaError } from './shell/area-error.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Pending } from './shell/pending.tsx';

export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  // TanStack Query decides what is fresh.
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: AreaError,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: Pending,
  scrollRestoration: true,
});

export type Router = typeof router;

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** Used for the browser tab and announced after a navigation. */
    title?: string;
  }
}
