import type { AuditService } from '../../audit/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { Quarantine, Quarantined } from '../engines/embedded/create-embedded-engine.ts';
import type { OnSetAside } from '../engines/embedded/work-unit.ts';
import type { RecordChange } from '../record-change.ts';

/** Executions that several workers, or servers, did not survive. */
export type QuarantineService = {
  list(scope: Scope): Promise<Quarantined[]>;
  /** Tries it again, with the counts of a new run. */
  retry(scope: Scope, executionId: string): Promise<undefined>;
  /** Of all workspaces. */
  count(): Promise<number>;
};

export function createQuarantine(deps: { quarantine: Quarantine; record: RecordChange }): QuarantineService {
  const { quarantine, record } = deps;
  return {
    list: (scope) => quarantine.list(scope.workspace_id),
    async retry(scope, executionId) {
      await quarantine.retry({ workspaceId: scope.workspace_id, executionId }, (tx) =>
        record(tx, scope, 'workflow.execution.retry', executionId),
      );
    },
    count: quarantine.count,
  };
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
