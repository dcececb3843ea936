import { accountRoutes } from './pages/account/area.ts';
import { agentsRoutes } from './pages/agents/area.ts';
import { approvalRoutes } from './pages/approvals/area.ts';
import { batchRoutes } from './pages/batch/area.ts';
import { classifiersRoutes } from './pages/classifiers/area.ts';
import { connectorsRoutes } from './pages/connectors/area.ts';
import { conversationsRoutes } from './pages/conversations/area.ts';
import { datasetsRoutes } from './pages/datasets/area.ts';
import { evaluationsRoutes } from './pages/evaluations/area.ts';
import { filesRoutes } from './pages/files/area.ts';
import { homeRoutes } from './pages/home/area.ts';
import { judgesRoutes } from './pages/judges/area.ts';
import { librariesRoutes } from './pages/libraries/area.ts';
import { mcpRoutes } from './pages/mcp/area.ts';
import { modelsRoutes } from './pages/models/area.ts';
import { moderationRoutes } from './pages/moderation/area.ts';
import { notificationsRoutes } from './pages/notifications/area.ts';
import { ocrRoutes } from './pages/ocr/area.ts';
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
    ...approvalRoutes,
    ...playgroundRoutes,
    ...promptsRoutes,
    ...skillsRoutes,
    ...agentsRoutes,
    ...librariesRoutes,
    ...connectorsRoutes,
    ...mcpRoutes,
    ...filesRoutes,
    ...batchRoutes,
    ...ocrRoutes,
    ...moderationRoutes,
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
