import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

const textOf = <K extends string>(name: K, value: unknown) =>
  (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as Partial<Record<K, string>>;

/** The pages are a chunk of their own, loaded on the first visit. */
export const evaluationsRoutes = [
  createRoute({
    getParentRoute,
    path: '/evaluations',
    staticData: { title: 'Evaluations' },
    validateSearch: ({ evaluation }): { evaluation?: string } => textOf('evaluation', evaluation),
  }).lazy(() => pages().then(({ list }) => list)),
  createRoute({
    getParentRoute,
    path: '/evaluations/$runId',
    staticData: { title: 'Evaluation run' },
    validateSearch: ({ show }): { show?: 'missed' } => (show === 'missed' ? { show } : {}),
  }).lazy(() => pages().then(({ run }) => run)),
  createRoute({
    getParentRoute,
    path: '/evaluations/$runId/comparison',
    staticData: { title: 'Comparison of two runs' },
    validateSearch: ({ baseline, label }): { baseline?: string; label?: string } => ({
      ...textOf('baseline', baseline),
      ...textOf('label', label),
    }),
  }).lazy(() => pages().then(({ comparison }) => comparison)),
] as const;
