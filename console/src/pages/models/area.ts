import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The pages are a chunk of their own, loaded on the first visit. */
export const modelsRoutes = [
  createRoute({ getParentRoute, path: '/models', staticData: { title: 'Models' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({ getParentRoute, path: '/models/$modelId', staticData: { title: 'Model' } }).lazy(() =>
    pages().then(({ model }) => model),
  ),
] as const;
