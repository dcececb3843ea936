import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The pages are a chunk of their own, loaded on the first visit. */
export const datasetsRoutes = [
  createRoute({ getParentRoute, path: '/datasets', staticData: { title: 'Datasets' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({
    getParentRoute,
    path: '/datasets/$datasetId',
    staticData: { title: 'Dataset' },
    validateSearch: ({ tab }): { tab?: 'imports' } => (tab === 'imports' ? { tab } : {}),
  }).lazy(() => pages().then(({ dataset }) => dataset)),
] as const;
