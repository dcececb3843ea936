import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The agent or model of a new conversation, when another page links to it. */
type NewSearch = { agent?: string; version?: string; model?: string };

/** The pages are a chunk of their own, loaded on the first visit. */
export const conversationsRoutes = [
  createRoute({ getParentRoute, path: '/conversations', staticData: { title: 'Conversations' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({
    getParentRoute,
    path: '/conversations/new',
    staticData: { title: 'New conversation' },
    validateSearch: (search): NewSearch => ({
      ...(typeof search.agent === 'string' ? { agent: search.agent } : {}),
      ...(typeof search.version === 'string' || typeof search.version === 'number'
        ? { version: String(search.version) }
        : {}),
      ...(typeof search.model === 'string' ? { model: search.model } : {}),
    }),
  }).lazy(() => pages().then(({ start }) => start)),
  createRoute({
    getParentRoute,
    path: '/conversations/$conversationId',
    staticData: { title: 'Conversation' },
  }).lazy(() => pages().then(({ conversation }) => conversation)),
] as const;
