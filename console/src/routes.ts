import { accountRoutes } from './pages/account/area.ts';
import { agentsRoutes } from './pages/agents/area.ts';
import { classifiersRoutes } from './pages/classifiers/area.ts';
import { connectorsRoutes } from './pages/connectors/area.ts';
import { conversationsRoutes } from './pages/conversations/area.ts';
import { datasetsRoutes } from './pages/datasets/area.ts';
import { evaluationsRoutes } from './pages/evaluations/area.ts';
import { homeRoutes } from './pages/home/area.ts';
import { judgesRoutes } from './pages/judges/area.ts';
import { librariesRoutes } from './pages/libraries/area.ts';
import { modelsRoutes } from './pages/models/area.ts';
import { notificationsRoutes } from './pages/notifications/area.ts';
import { organizationRoutes } from './pages/organization/area.ts';
import { playgroundRoutes } from './pages/playground/area.ts';
import { promptsRoutes } from './pages/prompts/area.ts';
import { requestsRoutes } from './pages/requests/area.ts';
import { signInRoutes } from './pages/sign-in/area.ts';
import { skillsRoutes } from './pages/skills/area.ts';
import { speechRoutes } from './pages/speech/area.ts';
import { transcriptionRoutes } from './pages/transcription/area.ts';
import { webhooksRoutes } from './pages/webhooks/area.ts';
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
    ...librariesRoutes,
    ...connectorsRoutes,
    ...conversationsRoutes,
    ...workflowsRoutes,
    ...webhooksRoutes,
    ...requestsRoutes,
    ...datasetsRoutes,
    ...judgesRoutes,
    ...evaluationsRoutes,
    ...modelsRoutes,
    ...classifiersRoutes,
    ...speechRoutes,
    ...transcriptionRoutes,
    ...notificationsRoutes,
    ...organizationRoutes,
    ...accountRoutes,
    notFoundRoute,
  ]),
]);
