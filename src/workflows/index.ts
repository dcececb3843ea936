import type { TemporalSettings } from './engines/temporal/connect.ts';

export { countQuarantined } from './engines/embedded/store/quarantine.ts';
export type { TemporalSettings } from './engines/temporal/connect.ts';
export { namespaceOf } from './engines/temporal/namespace-name.ts';
export { workflowErrors } from './errors.ts';
export { createGateway } from './gateway/create-gateway.ts';
export { workflowRoutes } from './routes/index.ts';
export { WorkflowExecutionRequest } from './schema/executions.ts';
export { openQuarantine, type QuarantinedExecution, type QuarantinedExecutions } from './service/quarantine.ts';
export { createWorkflowService, type WorkflowService } from './service/workflow-service.ts';
export { listPausedByPlatform } from './store/schedules.ts';

/** Returns the version of a cluster that responds. Loads Temporal's client on demand. */
export async function askTemporal(settings: Pick<TemporalSettings, 'address' | 'tls'>): Promise<string> {
  return (await import('./engines/temporal/connect.ts')).askTemporal(settings);
}
