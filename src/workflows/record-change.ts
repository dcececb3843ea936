import type { AuditLogEventType, AuditService, TargetType } from '../audit/index.ts';
import type { Tx } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import { actorOf } from '../tenants/index.ts';

type WorkflowEvent = Extract<AuditLogEventType, `workflow.${string}`>;

/** Writes to the audit log. Starts, signals and updates are in the histories instead. */
export type RecordChange = (
  tx: Tx,
  scope: Scope,
  event: WorkflowEvent,
  target: string,
  details?: Record<string, string>,
) => Promise<void>;

export function recordIn(audit: AuditService): RecordChange {
  return (tx, scope, event, target, details) =>
    audit.record(tx, {
      organization_id: scope.organization_id,
      workspace_id: scope.workspace_id,
      actor: actorOf(scope),
      event_type: event,
      event_metadata: details,
      target_type: targetOf(event),
      target_metadata: { id: target },
    });
}

function targetOf(event: WorkflowEvent): TargetType {
  if (event.startsWith('workflow.execution.')) return 'WORKFLOW_EXECUTION';
  return event.startsWith('workflow.schedule.') ? 'WORKFLOW_SCHEDULE' : 'WORKFLOW';
}
