import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The pages are a chunk of their own, loaded on the first visit. */
export const agentsRoutes = [
  createRoute({ getParentRoute, path: '/agents', staticData: { title: 'Agents' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({ getParentRoute, path: '/agents/new', staticData: { title: 'New agent' } }).lazy(() =>
    pages().then(({ create }) => create),
  ),
  createRoute({ getParentRoute, path: '/agents/$agentId', staticData: { title: 'Agent' } }).lazy(() =>
    pages().then(({ agent }) => agent),
  ),
] as const;
