import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';
import type { Target } from './setup.ts';

type PlaygroundSearch = { target?: Target; other?: Target; session?: string };

/** Other pages link here with the target and the one to compare with. */
export const playgroundRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/playground',
    staticData: { title: 'Playground' },
    validateSearch: ({ target, other, session }): PlaygroundSearch => ({
      ...(typeof session === 'string' ? { session } : {}),
      ...(isTarget(target) ? { target } : {}),
      ...(isTarget(other) ? { other } : {}),
    }),
  }).lazy(() => import('./routes.tsx').then((pages) => pages.list)),
] as const;

function isTarget(value: unknown): value is Target {
  const { kind, id, name, at } = (value ?? {}) as Record<string, unknown>;
  if (kind === 'prompt') return typeof name === 'string' && typeof at === 'string';
  return (kind === 'model' || kind === 'agent') && typeof id === 'string';
}
