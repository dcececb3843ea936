import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The pages are a chunk of their own, loaded on the first visit. */
export const connectorsRoutes = [
  createRoute({ getParentRoute, path: '/connectors', staticData: { title: 'Connectors' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({ getParentRoute, path: '/connectors/$connectorId', staticData: { title: 'Connector' } }).lazy(() =>
    pages().then(({ connector }) => connector),
  ),
] as const;
