import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

/** The addresses of the area; what they show is fetched with the first visit. */
export const modelsRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: '/models', staticData: { title: 'Models' } }).lazy(() =>
    import('./routes.tsx').then((pages) => pages.list),
  ),
] as const;
