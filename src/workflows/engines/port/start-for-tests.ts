import type { StartExecution } from './engine.ts';

export const WORKSPACE = '0190c4a2-0000-7000-8000-000000000001';

export const registration = {
  displayName: null,
  registrationId: 'registration-1',
  deploymentName: 'main',
  executionTimeoutMs: 3_600_000,
  searchKeyPaths: [],
};

export function startOf(
  workflowName: string,
  input: StartExecution['input'] = null,
  more: Partial<StartExecution> = {},
): StartExecution {
  return {
    ...registration,
    organizationId: 'organization-1',
    workspaceId: WORKSPACE,
    userId: 'user-1',
    workflowId: `id-of-${workflowName}`,
    workflowName,
    input,
    ...more,
  };
}
