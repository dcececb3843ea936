import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import { readProblem, type SignInProblem } from './problems.ts';

type SignInSearch = { to?: string; expired?: boolean; problem?: SignInProblem };

/** The only pages without a session, outside the shell. */
export const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    staticData: { title: 'Sign in' },
    validateSearch: (search): SignInSearch => ({
      ...(typeof search.to === 'string' && /^\/(?![/\\])/.test(search.to) ? { to: search.to } : {}),
      ...(search.expired === true ? { expired: true } : {}),
      ...readProblem(search),
    }),
  }).lazy(() => import('./routes.tsx').then((pages) => pages.signIn)),
  createRoute({ getParentRoute: () => rootRoute, path: '/link/$token', staticData: { title: 'Welcome' } }).lazy(() =>
    import('./routes.tsx').then((pages) => pages.link),
  ),
] as const;
