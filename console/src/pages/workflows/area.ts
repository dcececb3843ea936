import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';
import { readExecutionSearch } from './execution-search.ts';

const pages = () => import('./routes.tsx');
const getParentRoute = () => shellRoute;

/** The pages are a chunk of their own, loaded on the first visit. */
export const workflowsRoutes = [
  createRoute({ getParentRoute, path: '/workflows', staticData: { title: 'Workflows' } }).lazy(() =>
    pages().then(({ list }) => list),
  ),
  createRoute({
    getParentRoute,
    path: '/workflows/executions',
    staticData: { title: 'Executions' },
    validateSearch: readExecutionSearch,
  }).lazy(() => pages().then(({ executions }) => executions)),
  createRoute({
    getParentRoute,
    path: '/workflows/executions/$executionId',
    staticData: { title: 'Execution' },
  }).lazy(() => pages().then(({ execution }) => execution)),
  createRoute({ getParentRoute, path: '/workflows/schedules', staticData: { title: 'Schedules' } }).lazy(() =>
    pages().then(({ schedules }) => schedules),
  ),
  createRoute({
    getParentRoute,
    path: '/workflows/schedules/$scheduleId',
    staticData: { title: 'Schedule' },
  }).lazy(() => pages().then(({ schedule }) => schedule)),
  // No workflow can be named "executions" or "schedules": the API reserves these paths.
  createRoute({ getParentRoute, path: '/workflows/$name', staticData: { title: 'Workflow' } }).lazy(() =>
    pages().then(({ workflow }) => workflow),
  ),
] as const;
