import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

/** The pages are a chunk of their own, loaded on the first visit. */
export const transcriptionRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/transcription',
    staticData: { title: 'Transcription' },
  }).lazy(() => import('./routes.tsx').then((pages) => pages.list)),
] as const;
