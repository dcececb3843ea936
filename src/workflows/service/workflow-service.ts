import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { PageTokens } from '../../kit/http/index.ts';
import type { WorkflowEngine } from '../engine/engine.ts';
import { createExecute, type Execute } from './execute.ts';
import { createExecutions, type ExecutionService } from './executions.ts';
import { recordIn } from './record-change.ts';
import { createRegistrations, type RegistrationService } from './registrations.ts';
import { createRegistry, type RegistryService } from './registry.ts';
import { createStartRouter } from './route-start.ts';
import { createCatalogue, type WorkflowCatalogue } from './workflows.ts';

export type WorkflowService = {
  registry: RegistryService;
  catalogue: WorkflowCatalogue;
  registrations: RegistrationService;
  execute: Execute;
  executions: ExecutionService;
};

export function createWorkflowService(options: {
  database: Database;
  engine: WorkflowEngine;
  audit: AuditService;
  tokens: PageTokens;
  now: Clock;
}): WorkflowService {
  const deps = { ...options, record: recordIn(options.audit), router: createStartRouter(options) };
  return {
    registry: createRegistry(deps),
    catalogue: createCatalogue(deps),
    registrations: createRegistrations(deps),
    execute: createExecute(deps),
    executions: createExecutions(deps),
  };
}
