import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The pages are a chunk of their own, loaded on the first visit. */
export const promptsRoutes = [
  createRoute({ getParentRoute, path: '/prompts', staticData: { title: 'Prompts' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({ getParentRoute, path: '/prompts/$promptId', staticData: { title: 'Prompt' } }).lazy(() =>
    pages().then(({ one }) => one),
  ),
] as const;
