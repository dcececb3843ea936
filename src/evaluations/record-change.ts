import type { AuditLogEventType, AuditService, TargetType } from '../audit/index.ts';
import type { Tx } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import { actorOf } from '../tenants/index.ts';

type Event = Extract<AuditLogEventType, `evaluation.${string}` | `pipeline.${string}`>;
type Target = Extract<TargetType, `EVALUATION${string}` | 'PIPELINE'>;

/** The audit log gets ids and not names, which may be secrets. */
export function recordChange(
  audit: AuditService,
  tx: Tx,
  scope: Scope,
  event_type: Event,
  target_type: Target,
  id: string,
): Promise<void> {
  const { organization_id, workspace_id } = scope;
  return audit.record(tx, {
    organization_id,
    workspace_id,
    actor: actorOf(scope),
    event_type,
    event_metadata: {},
    target_type,
    target_metadata: { id },
  });
}
