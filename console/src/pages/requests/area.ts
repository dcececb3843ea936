import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';
import type { RequestFilters } from './filters.ts';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

const NAMES = ['period', 'status', 'operation', 'model', 'slow', 'where'] as const;

/** The pages are a chunk of their own, loaded on the first visit. */
export const requestsRoutes = [
  createRoute({
    getParentRoute,
    path: '/requests',
    staticData: { title: 'Requests' },
    validateSearch: (search): RequestFilters => ({
      ...Object.fromEntries(
        NAMES.flatMap((name) => {
          const value = search[name];
          return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
        }),
      ),
      ...(search.live === true ? { live: true } : {}),
    }),
  }).lazy(() => pages().then(({ list }) => list)),
  createRoute({
    getParentRoute,
    path: '/requests/$traceId/$spanId',
    staticData: { title: 'Request' },
  }).lazy(() => pages().then(({ request }) => request)),
] as const;
