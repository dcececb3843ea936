import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The pages are a chunk of their own, loaded on the first visit. */
export const skillsRoutes = [
  createRoute({ getParentRoute, path: '/skills', staticData: { title: 'Skills' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({ getParentRoute, path: '/skills/new', staticData: { title: 'New skill' } }).lazy(() =>
    pages().then(({ create }) => create),
  ),
  createRoute({ getParentRoute, path: '/skills/$skillId', staticData: { title: 'Skill' } }).lazy(() =>
    pages().then(({ one }) => one),
  ),
] as const;
