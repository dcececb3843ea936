import { createRoute } from '@tanstack/react-router';
import { NotFound } from './not-found.tsx';
import { shellRoute } from './root-route.tsx';

/** Any other address; the navigation stays visible. */
export const notFoundRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  staticData: { title: 'Not found' },
  component: NotFound,
});
