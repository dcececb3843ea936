import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The pages are a chunk of their own, loaded on the first visit. */
export const notificationsRoutes = [
  createRoute({ getParentRoute, path: '/notifications', staticData: { title: 'Notifications' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({ getParentRoute, path: '/notifications/$endpointId', staticData: { title: 'Endpoint' } }).lazy(() =>
    pages().then(({ endpoint }) => endpoint),
  ),
] as const;
