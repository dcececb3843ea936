import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

/** The page is a chunk of its own, loaded on the first visit. */
export const judgesRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: '/judges', staticData: { title: 'Judges' } }).lazy(() =>
    import('./routes.tsx').then(({ list }) => list),
  ),
] as const;
