import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';
import { readProblem, type SignInProblem } from '../sign-in/problems.ts';

export const accountRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/account',
    staticData: { title: 'Account' },
    validateSearch: (search): { problem?: SignInProblem } => readProblem(search),
  }).lazy(() => import('./routes.tsx').then((pages) => pages.account)),
] as const;
