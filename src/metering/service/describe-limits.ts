import type { Db } from '../../kit/db/index.ts';
import type { KeySummary, TenantService } from '../../tenants/index.ts';
import { fromMicros } from '../money.ts';
import type { LimitScope, LimitScopeKind } from '../schema.ts';
import type { Metering } from './metering-service.ts';

export type NamedScope = LimitScope & { name: string; organization_id: string; workspace_id: string | null };

/** The limits that apply to a scope, where they come from, and what it has spent this month. */
export type ScopeLimits = {
  scope: LimitScopeKind;
  id: string;
  name: string;
  requests_per_second: number | null;
  tokens_per_minute: number | null;
  monthly_budget: number | null;
  spent: number;
  storage_bytes: number | null;
  /** Measured where there is a limit, or where asked for. */
  stored_bytes: number | null;
  from: 'own' | 'file';
};

/** Scopes of the kinds in `ownOnly` are left out when they have no limits of their own. */
export async function describeLimits(
  metering: Pick<Metering, 'getLimits' | 'spent' | 'listOwnLimits' | 'storage'>,
  db: Db,
  scopes: readonly NamedScope[],
  { ownOnly = [], measures = false }: { ownOnly?: readonly LimitScopeKind[]; measures?: boolean } = {},
): Promise<ScopeLimits[]> {
  const own = new Set((await metering.listOwnLimits(db)).map(({ kind, id }) => `${kind} ${id}`));
  const described: ScopeLimits[] = [];
  for (const scope of scopes) {
    const isOwn = own.has(`${scope.kind} ${scope.id}`);
    if (!isOwn && ownOnly.includes(scope.kind)) continue;
    const { monthly_budget_micros, ...rest } = await metering.getLimits(db, scope);
    const isMeasured = scope.kind !== 'key' && (measures || rest.storage_bytes !== null);
    described.push({
      scope: scope.kind,
      id: scope.id,
      name: scope.name,
      ...rest,
      monthly_budget: monthly_budget_micros === null ? null : fromMicros(monthly_budget_micros),
      spent: fromMicros(await metering.spent(db, scope)),
      stored_bytes: isMeasured ? await metering.storage.measure(scope) : null,
      from: isOwn ? 'own' : 'file',
    });
  }
  return described;
}

/** The organization, its workspaces and its keys. */
export async function listLimitScopes(
  tenants: TenantService,
  organization: { id: string; name: string },
  isListed: (key: KeySummary) => boolean = () => true,
): Promise<NamedScope[]> {
  return [
    organizationScope(organization),
    ...(await tenants.listWorkspaces(organization.id)).map(workspaceScope),
    ...(await tenants.keys.list(organization.id)).filter(isListed).map(keyScope),
  ];
}

export function organizationScope({ id, name }: { id: string; name: string }): NamedScope {
  return { kind: 'organization', id, name, organization_id: id, workspace_id: null };
}

export function workspaceScope(workspace: { id: string; name: string; organization_id: string }): NamedScope {
  const { id, name, organization_id } = workspace;
  return { kind: 'workspace', id, name, organization_id, workspace_id: id };
}

export function keyScope({ id, name, hint, organization_id, workspace_id }: KeySummary): NamedScope {
  return { kind: 'key', id, name: name ?? `…${hint}`, organization_id, workspace_id };
}
