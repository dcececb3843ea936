import type { TemporalSettings } from './engines/temporal/connect.ts';

export type { TemporalSettings } from './engines/temporal/connect.ts';
export { namespaceOf } from './engines/temporal/namespace-name.ts';
export { workflowErrors } from './errors.ts';
export { createGateway } from './gateway/create-gateway.ts';
export { workflowRoutes } from './routes/index.ts';
export { createWorkflowService, type WorkflowService } from './service/workflow-service.ts';

/** The version of a cluster that answers. Its client is loaded only for those who have one. */
export async function askTemporal(settings: Pick<TemporalSettings, 'address' | 'tls'>): Promise<string> {
  return (await import('./engines/temporal/connect.ts')).askTemporal(settings);
}
