import { createRoute } from '@tanstack/react-router';
import { NotFound } from './not-found.tsx';
import { shellRoute } from './root-route.tsx';

/** Any other address: the navigation stays, so that one finds the way. */
export const strayRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  staticData: { title: 'Not found' },
  component: NotFound,
});
