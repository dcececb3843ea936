import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

/** The pages are a chunk of their own, loaded on the first visit. */
export const speechRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: '/speech', staticData: { title: 'Speech' } }).lazy(() =>
    import('./routes.tsx').then((pages) => pages.list),
  ),
] as const;
