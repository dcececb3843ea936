import type { TemporalSettings } from './temporal/connect.ts';

export { createGateway } from './gateway/create-gateway.ts';
export { workflowRoutes } from './routes/index.ts';
export { createWorkflowService, type WorkflowService } from './service/workflow-service.ts';
export type { TemporalSettings } from './temporal/connect.ts';
export { namespaceOf } from './temporal/namespace-name.ts';

/** The version of a cluster that answers. Its client is loaded only for those who have one. */
export async function askTemporal(settings: Pick<TemporalSettings, 'address' | 'tls'>): Promise<string> {
  return (await import('./temporal/connect.ts')).askTemporal(settings);
}
