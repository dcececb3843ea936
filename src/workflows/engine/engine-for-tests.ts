import { createLog } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import { createEvents } from '../../kit/events/index.ts';
import { createEmbeddedEngine, type EngineOptions } from './create-engine.ts';
import type { StartExecution } from './engine.ts';

export const WORKSPACE = '0190c4a2-0000-7000-8000-000000000001';

/** An engine on a database, whose registry knows every name. */
export function engineForTests(database: Database, now: () => number, options: Partial<EngineOptions> = {}) {
  const events = createEvents({ database, now });
  const embedded = createEmbeddedEngine({
    database,
    events,
    now,
    log: createLog('silent'),
    findRegistration: async (_workspace, name) =>
      name === 'missing' ? undefined : { ...registration, workflowId: `id-of-${name}` },
    ...options,
  });
  return { ...embedded, events };
}

const registration = {
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
