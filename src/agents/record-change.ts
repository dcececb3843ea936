import type { AuditLogEventType, AuditService } from '../audit/index.ts';
import type { Tx } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import type { Change } from '../kit/versions/index.ts';
import { actorOf } from '../tenants/index.ts';

const EVENTS: Record<Change['event'], AuditLogEventType> = {
  create: 'agent.create',
  version: 'agent.update',
  update: 'agent.update',
  share: 'agent.update',
  unshare: 'agent.update',
  delete: 'agent.delete',
};

/** Writes what happens to agents into the audit log. */
export function recordIn(audit: AuditService) {
  return (tx: Tx, scope: Scope, { event, object, details }: Change): Promise<void> =>
    audit.record(tx, {
      organization_id: scope.organization_id,
      workspace_id: scope.workspace_id,
      actor: actorOf(scope),
      event_type: EVENTS[event],
      event_metadata: details,
      target_type: 'AGENT',
      target_metadata: { id: object.name },
    });
}
