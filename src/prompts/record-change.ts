import type { AuditLogEventType, AuditService } from '../audit/index.ts';
import type { Tx } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import type { Change } from '../kit/versions/index.ts';
import { actorOf } from '../tenants/index.ts';

// The public names have no share of a prompt; the details of the update say that its scope changed.
const EVENTS: Record<Change['event'], AuditLogEventType> = {
  create: 'prompt.create',
  version: 'prompt.version.create',
  update: 'prompt.update',
  share: 'prompt.update',
  unshare: 'prompt.update',
  delete: 'prompt.delete',
};

/** Writes what happens to prompts into the audit log. */
export function recordIn(audit: AuditService) {
  return (tx: Tx, scope: Scope, { event, object, details }: Change): Promise<void> =>
    audit.record(tx, {
      organization_id: scope.organization_id,
      workspace_id: scope.workspace_id,
      actor: actorOf(scope),
      event_type: EVENTS[event],
      event_metadata: details,
      target_type: 'PROMPT',
      target_metadata: { id: object.id, name: object.name },
    });
}
