import type { AuditActor, AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import { createEvents } from '../../kit/events/index.ts';
import {
  createEmbeddedEngine,
  type Quarantine,
  type Quarantined as QuarantinedExecution,
} from '../engines/embedded/create-embedded-engine.ts';
import type { OnSetAside } from '../engines/embedded/work-unit.ts';

export type { QuarantinedExecution };

/** Executions that several workers, or servers, did not survive. */
export type QuarantinedExecutions = {
  /** Of one workspace, or of all; the newest first. */
  list(workspaceId?: string): Promise<QuarantinedExecution[]>;
  /** Tries it again, with the counts of a new run. */
  retry(execution: QuarantinedExecution, actor: AuditActor): Promise<undefined>;
  /** Of all workspaces. */
  count(): Promise<number>;
};

export function createQuarantine(deps: { quarantine: Quarantine; audit: AuditService }): QuarantinedExecutions {
  const { quarantine, audit } = deps;
  return {
    list: quarantine.list,
    async retry({ organizationId: organization_id, workspaceId, executionId }, actor) {
      await quarantine.retry({ workspaceId, executionId }, (tx) =>
        audit.record(tx, {
          ...{ organization_id, workspace_id: workspaceId, actor, event_type: 'workflow.execution.retry' },
          ...{ target_type: 'WORKFLOW_EXECUTION', target_metadata: { id: executionId } },
        }),
      );
    },
    count: quarantine.count,
  };
}

/** For commands, which run no executions: a server that has the same database does. */
export function openQuarantine(deps: {
  database: Database;
  audit: AuditService;
  now: Clock;
  log: Logger;
}): QuarantinedExecutions {
  const { audit, ...common } = deps;
  const findRegistration = async () => undefined;
  const { quarantine } = createEmbeddedEngine({ ...common, events: createEvents(common), findRegistration });
  return createQuarantine({ quarantine, audit });
}

const PLATFORM = { type: 'OTHER', metadata: { name: 'platform' } } as const;

/** Writes to the audit log what the platform set aside. */
export function recordSetAside(audit: AuditService): OnSetAside {
  return (tx, { organization_id, workspace_id, execution_id, deaths, quarantine_reason }) =>
    audit.record(tx, {
      ...{ organization_id, workspace_id, actor: PLATFORM },
      event_type: 'workflow.execution.quarantine',
      event_metadata: { deaths: String(deaths), reason: quarantine_reason ?? '' },
      target_type: 'WORKFLOW_EXECUTION',
      target_metadata: { id: execution_id },
    });
}
