import type { AuditLogEventType, AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { Announce } from '../../kit/events/index.ts';
import type { PageTokens, Scope } from '../../kit/http/index.ts';
import type { SecretBox } from '../../kit/secrets/index.ts';
import { actorOf, ORGANIZATION_ADMINISTER } from '../../tenants/index.ts';
import { connectorErrors } from '../errors.ts';
import type { ConsumerScope } from '../schema/credentials.ts';
import type { ConnectorRow, ConsumerKind } from '../store/tables.ts';
import type { Target, Targets } from '../targets.ts';

export type StoredPorts = {
  database: Database;
  audit: AuditService;
  tokens: PageTokens;
  box: SecretBox;
  targets: Targets;
  /** Tells the tenant's own endpoints what happened. */
  announce?: Announce | undefined;
  now: Clock;
  log: Logger;
};

export const WRITE = 'connectors:write';
export const ADMINISTER = 'connectors:administer';

export function kindOf(scope: ConsumerScope): ConsumerKind {
  return scope === 'organization' ? 'org' : scope;
}

/** What is one's own needs no more than the route asks; what others share needs an admin. */
export function checkScope(caller: Scope, scope: ConsumerScope): void {
  if (scope === 'workspace' && !caller.permissions.has(ADMINISTER))
    throw connectorErrors.connector_scope_refused(scope);
  if (scope === 'organization' && !caller.permissions.has(ORGANIZATION_ADMINISTER))
    throw connectorErrors.connector_scope_refused(scope);
}

/** The row of a connector that the caller may change. */
export function changeable(caller: Scope, { row, id }: Target): ConnectorRow {
  if (!row) throw connectorErrors.connector_read_only(id);
  const isOwn = row.creator_id === caller.user_id && row.workspace_id === caller.workspace_id;
  const isAdministered = row.workspace_id === caller.workspace_id && caller.permissions.has(ADMINISTER);
  if (!isOwn && !isAdministered && !caller.permissions.has(ORGANIZATION_ADMINISTER))
    throw connectorErrors.connector_not_yours(row.name);
  return row;
}

export function recordEvent(
  audit: AuditService,
  tx: Tx,
  caller: Scope,
  event_type: AuditLogEventType,
  { id, config }: Target,
  metadata: Record<string, string> = {},
): Promise<void> {
  return audit.record(tx, {
    organization_id: caller.organization_id,
    workspace_id: caller.workspace_id,
    actor: actorOf(caller),
    event_type,
    event_metadata: metadata,
    target_type: 'INTEGRATION',
    target_metadata: { id, name: config.id },
  });
}
