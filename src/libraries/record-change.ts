import type { AuditLogEventType, AuditService } from '../audit/index.ts';
import type { Tx } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import { actorOf } from '../tenants/index.ts';
import type { DocumentRow, LibraryRow } from './store/tables.ts';

type LibraryEvent = Extract<AuditLogEventType, `library.${string}`>;

/** The audit log gets ids and not names, which may be secrets. */
export function recordChange(
  audit: AuditService,
  tx: Tx,
  scope: Scope,
  event_type: LibraryEvent,
  target: { library: Pick<LibraryRow, 'id' | 'workspace_id'>; document?: Pick<DocumentRow, 'id' | 'bytes'> },
  event_metadata: Record<string, string> = {},
): Promise<void> {
  const { library, document } = target;
  return audit.record(tx, {
    organization_id: scope.organization_id,
    workspace_id: library.workspace_id,
    actor: actorOf(scope),
    event_type,
    event_metadata,
    target_type: document ? 'LIBRARY_DOCUMENT' : 'LIBRARY',
    target_metadata: document
      ? { id: document.id, library_id: library.id, bytes: String(document.bytes ?? 0) }
      : { id: library.id },
  });
}
