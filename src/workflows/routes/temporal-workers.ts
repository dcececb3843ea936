import type { Report } from '../../../packages/workflows/src/protocol.ts';
import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  FindWorkflowRequest,
  FindWorkflowResponse,
  PayloadKeysResponse,
  ReportsRequest,
} from '../schema/temporal-workers.ts';
import type { TemporalWorkers } from '../service/temporal-workers.ts';

const work = { tags: ['workflows.workers'], permission: 'workflows:work' };
/** One request may carry the results of many steps. */
const bodyBytesMax = 32 * 1024 * 1024;

/** For our workers on Temporal. */
export function temporalWorkerRoutes(workflows: { onTemporal: TemporalWorkers }): AnyRoute[] {
  return [
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/workers/reports',
      operationId: 'workflows_workers_report',
      summary: 'Report events of runs on Temporal',
      status: 204,
      bodyBytesMax,
      body: ReportsRequest,
      handler: ({ scope, body }) => workflows.onTemporal.report(scope, body.reports as Report[]),
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/workers/find-workflow',
      operationId: 'workflows_workers_find_workflow',
      summary: 'Find the deployment of a child workflow',
      body: FindWorkflowRequest,
      response: FindWorkflowResponse,
      handler: ({ scope, body }) => workflows.onTemporal.findWorkflow(scope, body),
    }),
    route({
      ...work,
      method: 'GET',
      path: '/v1/workflows/workers/payload-keys',
      operationId: 'workflows_workers_payload_keys',
      summary: 'Read the payload encryption keys of the workspace on Temporal',
      response: PayloadKeysResponse,
      alsoAnswers: [409],
      handler: async ({ scope }) => workflows.onTemporal.payloadKeys(scope),
    }),
  ];
}
