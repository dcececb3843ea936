import type { Scope } from '../../kit/http/index.ts';
import { CONSOLE_ADMINISTER } from '../permissions.ts';
import { listAccountNames, listKeyNames, listMemberNames, listWorkspaceNames } from '../store/names.ts';
import type { TenantPorts } from './ports.ts';

export type TenantName = {
  id: string;
  kind: 'user' | 'service_account' | 'key' | 'workspace';
  name: string;
  /** Deleted, revoked or archived. */
  has_ended: boolean;
};

/**
 * The names of ids in the organization, for pages that have ids only. Keys of others are for admins. An id that means
 * nothing here is left out, whether it belongs to nobody or to another organization.
 */
export function createNameService({ database: { db } }: Pick<TenantPorts, 'database'>) {
  return async (scope: Scope, ids: readonly string[]): Promise<TenantName[]> => {
    if (ids.length === 0) return [];
    const { organization_id } = scope;
    const keysOf = scope.permissions.has(CONSOLE_ADMINISTER) ? undefined : scope.user_id;
    const [members, accounts, keys, workspaces] = await Promise.all([
      listMemberNames(db, organization_id, ids),
      listAccountNames(db, organization_id, ids),
      listKeyNames(db, organization_id, ids, keysOf),
      listWorkspaceNames(db, organization_id, ids),
    ]);
    const named =
      (kind: TenantName['kind']) =>
      ({ id, name, ended_at = null }: { id: string; name: string; ended_at?: string | null }): TenantName => ({
        ...{ id, kind, name },
        has_ended: ended_at !== null,
      });
    return [
      ...members.map(named('user')),
      ...accounts.map(named('service_account')),
      ...keys.map(named('key')),
      ...workspaces.map(named('workspace')),
    ];
  };
}
