import { agentsRoutes } from './pages/agents/area.ts';
import { connectorsRoutes } from './pages/connectors/area.ts';
import { conversationsRoutes } from './pages/conversations/area.ts';
import { homeRoutes } from './pages/home/area.ts';
import { modelsRoutes } from './pages/models/area.ts';
import { organizationRoutes } from './pages/organization/area.ts';
import { playgroundRoutes } from './pages/playground/area.ts';
import { promptsRoutes } from './pages/prompts/area.ts';
import { signInRoutes } from './pages/sign-in/area.ts';
import { skillsRoutes } from './pages/skills/area.ts';
import { speechRoutes } from './pages/speech/area.ts';
import { transcriptionRoutes } from './pages/transcription/area.ts';
import { workflowsRoutes } from './pages/workflows/area.ts';
import { notFoundRoute } from './shell/not-found-route.ts';
import { rootRoute, shellRoute } from './shell/root-route.tsx';

/** All areas; the pages of each are a chunk of their own. */
export const routeTree = rootRoute.addChildren([
  ...signInRoutes,
  shellRoute.addChildren([
    ...homeRoutes,
    ...playgroundRoutes,
    ...promptsRoutes,
    ...skillsRoutes,
    ...agentsRoutes,
    ...connectorsRoutes,
    ...conversationsRoutes,
    ...workflowsRoutes,
    ...modelsRoutes,
    ...speechRoutes,
    ...transcriptionRoutes,
    ...organizationRoutes,
    notFoundRoute,
  ]),
]);
