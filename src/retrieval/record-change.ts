import type { AuditLogEventType, AuditService, TargetType } from '../audit/index.ts';
import type { Tx } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import { actorOf } from '../tenants/index.ts';

type OurEvent = Extract<AuditLogEventType, `search_index.${string}` | `rag_${string}`>;

const TARGETS = {
  search_index: 'SEARCH_INDEX',
  rag_deployment: 'RAG_DEPLOYMENT',
  rag_pipeline: 'RAG_PIPELINE',
} as const satisfies Record<string, TargetType>;

/** The audit log gets ids and counts: names of indexes and ids of documents may be secrets. */
export function recordChange(
  audit: AuditService,
  tx: Tx,
  scope: Scope,
  event_type: OurEvent,
  id: string,
  event_metadata: Record<string, string> = {},
): Promise<void> {
  const [noun] = event_type.split('.') as [keyof typeof TARGETS];
  return audit.record(tx, {
    organization_id: scope.organization_id,
    workspace_id: scope.workspace_id,
    actor: actorOf(scope),
    event_type,
    event_metadata,
    target_type: TARGETS[noun],
    target_metadata: { id },
  });
}
