import type { AuditActor, AuditLogEventType, AuditService } from '../audit/index.ts';
import type { Tx } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import { actorOf } from '../tenants/index.ts';

type DatasetEvent = Extract<AuditLogEventType, `dataset.${string}`>;
export type Who = { organization_id: string; workspace_id: string; actor: AuditActor };

export const whoIs = (scope: Scope): Who => ({
  organization_id: scope.organization_id,
  workspace_id: scope.workspace_id,
  actor: actorOf(scope),
});

/** The audit log gets ids and counts, and nothing of what records say. */
export function recordChange(
  audit: AuditService,
  tx: Tx,
  who: Who,
  event_type: DatasetEvent,
  datasetId: string,
  event_metadata: Record<string, string> = {},
): Promise<void> {
  return audit.record(tx, {
    ...who,
    event_type,
    event_metadata,
    target_type: 'DATASET',
    target_metadata: { id: datasetId },
  });
}
