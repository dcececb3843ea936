import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The pages are a chunk of their own, loaded on the first visit. */
export const batchRoutes = [
  createRoute({ getParentRoute, path: '/batch', staticData: { title: 'Batch' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({ getParentRoute, path: '/batch/$jobId', staticData: { title: 'Batch job' } }).lazy(() =>
    pages().then(({ job }) => job),
  ),
] as const;
