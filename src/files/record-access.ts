import type { AuditActor, AuditLogEventType, AuditService } from '../audit/index.ts';
import type { Tx } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import { actorOf } from '../tenants/index.ts';
import type { FileRow } from './store.ts';

type FileEvent = Extract<AuditLogEventType, `file.${string}`>;
type Place = { organization_id: string; workspace_id: string; actor: AuditActor };

/** Somebody to whom a signed address was given; all that is known of them is where they came from. */
export const LINK_HOLDER: AuditActor = { type: 'OTHER', metadata: { name: 'holder of a signed address' } };

export function placeOf(scope: Scope): Place {
  return { organization_id: scope.organization_id, workspace_id: scope.workspace_id, actor: actorOf(scope) };
}

/** Writes who made, read, shared or deleted a file into the audit log; its name may be secret, so its id must do. */
export function recordIn(audit: AuditService) {
  return (
    tx: Tx,
    place: Place,
    event_type: FileEvent,
    { id, purpose, bytes }: FileRow,
    event_metadata: Record<string, string> = {},
  ): Promise<void> => {
    const target_metadata = { id, purpose, bytes: String(bytes) };
    return audit.record(tx, { ...place, event_type, event_metadata, target_type: 'FILE', target_metadata });
  };
}
