import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

/** The page is a chunk of its own, loaded on the first visit. */
export const ocrRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: '/ocr', staticData: { title: 'OCR' } }).lazy(() =>
    import('./routes.tsx').then((pages) => pages.list),
  ),
] as const;
