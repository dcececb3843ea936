import type { AuditLogEventType, AuditService } from '../audit/index.ts';
import type { Tx } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import type { Change } from '../kit/versions/index.ts';
import { actorOf } from '../tenants/index.ts';

const EVENTS: Record<Change['event'], AuditLogEventType> = {
  create: 'skill.create',
  version: 'skill.version.create',
  update: 'skill.update',
  share: 'skill.share',
  unshare: 'skill.unshare',
  delete: 'skill.delete',
};

/** Writes what happens to skills into the audit log. */
export function recordIn(audit: AuditService) {
  return (tx: Tx, scope: Scope, { event, object, details }: Change): Promise<void> =>
    audit.record(tx, {
      organization_id: scope.organization_id,
      workspace_id: scope.workspace_id,
      actor: actorOf(scope),
      event_type: EVENTS[event],
      event_metadata: details,
      target_type: 'SKILL',
      target_metadata: { id: object.id, name: object.name },
    });
}
