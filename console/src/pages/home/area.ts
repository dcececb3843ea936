import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

export const homeRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: '/', staticData: { title: 'Home' } }).lazy(() =>
    import('./routes.tsx').then((pages) => pages.home),
  ),
] as const;
