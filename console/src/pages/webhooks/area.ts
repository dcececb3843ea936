import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The pages are a chunk of their own, loaded on the first visit. */
export const webhooksRoutes = [
  createRoute({ getParentRoute, path: '/webhooks', staticData: { title: 'Webhooks' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({ getParentRoute, path: '/webhooks/$webhookId', staticData: { title: 'Webhook' } }).lazy(() =>
    pages().then(({ webhook }) => webhook),
  ),
] as const;
