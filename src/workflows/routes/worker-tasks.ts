import type {
  AdvanceRequest as Advances,
  QueryAnswerRequest as Answers,
  StepHeartbeatRequest as Beats,
} from '../../../packages/workflows/src/protocol.ts';
import { type AnyRoute, route } from '../../kit/http/index.ts';
import type { WorkerPort } from '../engines/embedded/worker-port.ts';
import {
  AdvanceRequest,
  AdvanceResponse,
  HistoryPage,
  HistoryPageQuery,
  PollRequest,
  PollResponse,
  QueryAnswerRequest,
  StepHeartbeatRequest,
  StepHeartbeatResponse,
} from '../schema/worker-tasks.ts';

const work = { tags: ['workflows.workers'], permission: 'workflows:work' };
/** A turn may have several results, each as large as a payload. */
const bodyBytesMax = 32 * 1024 * 1024;

/** Workers poll for turns and steps, and send their results. */
export function workerTaskRoutes(workflows: { workers: WorkerPort }): AnyRoute[] {
  return [
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/workers/poll',
      operationId: 'workflows_workers_poll',
      summary: 'Poll for turns, steps and queries',
      body: PollRequest,
      response: PollResponse,
      handler: ({ scope, body, signal }) => workflows.workers.poll(scope.workspace_id, body, signal),
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/workers/advance',
      operationId: 'workflows_workers_advance',
      summary: 'Send the commands of turns and the results of steps',
      bodyBytesMax,
      body: AdvanceRequest,
      response: AdvanceResponse,
      handler: ({ scope, body }) => workflows.workers.advance(scope.workspace_id, body as Advances),
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/workers/steps/heartbeat',
      operationId: 'workflows_workers_steps_heartbeat',
      summary: 'Renew the leases of steps and publish their progress',
      bodyBytesMax,
      body: StepHeartbeatRequest,
      response: StepHeartbeatResponse,
      handler: ({ scope, body }) => workflows.workers.heartbeatSteps(scope.workspace_id, body as Beats),
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/workers/queries',
      operationId: 'workflows_workers_answer_queries',
      summary: 'Answer queries',
      status: 204,
      bodyBytesMax,
      body: QueryAnswerRequest,
      handler: ({ scope, body }) => workflows.workers.answerQueries(scope.workspace_id, body as Answers),
    }),
    route({
      ...work,
      method: 'GET',
      path: '/v1/workflows/workers/history',
      operationId: 'workflows_workers_history',
      summary: 'Read the rest of a history that is too long for one task',
      query: HistoryPageQuery,
      response: HistoryPage,
      handler: async ({ scope, query }) => ({
        events: await workflows.workers.historyPage(scope.workspace_id, query.run_id, query.after),
      }),
    }),
  ];
}
