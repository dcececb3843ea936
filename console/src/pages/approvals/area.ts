import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

export const approvalRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/approvals',
    staticData: { title: 'Approvals' },
  }).lazy(() => import('./routes.tsx').then((pages) => pages.list)),
] as const;
