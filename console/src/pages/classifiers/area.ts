import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The pages are a chunk of their own, loaded on the first visit. */
export const classifiersRoutes = [
  createRoute({ getParentRoute, path: '/classifiers', staticData: { title: 'Classifiers' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
] as const;
