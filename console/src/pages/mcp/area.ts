import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

/** The page is a chunk of its own, loaded on the first visit. */
export const mcpRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: '/mcp', staticData: { title: 'MCP' } }).lazy(() =>
    import('./routes.tsx').then((pages) => pages.list),
  ),
] as const;
