import type { AuditEntry } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { findCandidates, lockFor, type Tx } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { callerOf } from '../caller.ts';
import { tenantErrors } from '../errors.ts';
import { ORGANIZATION_ADMINISTER } from '../permissions.ts';
import type { WorkspaceRole } from '../schema.ts';
import { insertUser } from '../store/accounts.ts';
import {
  findServiceAccount,
  insertServiceAccount,
  listServiceAccounts,
  type ServiceAccountList,
  type ServiceAccountRow,
  searchedServiceAccounts,
  updateServiceAccount,
} from '../store/service-accounts.ts';
import { findWorkspace } from '../store/workspaces.ts';
import type { KeyService } from './keys.ts';
import type { TenantPorts } from './ports.ts';

export type NewServiceAccount = {
  name: string;
  workspaceId: string;
  description: string | null;
  /** None: the account belongs to the organization and has no role in its workspace. */
  roles: WorkspaceRole[];
};

/** An account is administered in its workspace, or by an admin of the organization; for others it does not exist. */
export type ServiceAccountService = {
  list(scope: Scope, query: Omit<ServiceAccountList, 'organizationId'>): Promise<ServiceAccountRow[]>;
  get(scope: Scope, id: string): Promise<ServiceAccountRow>;
  create(scope: Scope, input: NewServiceAccount): Promise<ServiceAccountRow>;
  describe(scope: Scope, id: string, description: string | null): Promise<ServiceAccountRow>;
  setRoles(scope: Scope, id: string, roles: WorkspaceRole[]): Promise<ServiceAccountRow>;
  /** Ends its keys too. Its objects and its entries in the audit log are kept. */
  remove(scope: Scope, id: string): Promise<void>;
  /** Throws 404 when the workspace is not one whose accounts the caller administers. */
  checkWorkspace(scope: Scope, workspaceId: string): Promise<void>;
};

export function createServiceAccountService(deps: TenantPorts & { keys: KeyService }): ServiceAccountService {
  const { database, audit, keysSignal, now, keys, forgetMember } = deps;

  async function find(tx: Parameters<typeof findServiceAccount>[0], scope: Scope, id: string) {
    const account = await findServiceAccount(tx, scope.organization_id, id);
    if (!account || !mayAdminister(scope, account.workspace_id)) throw tenantErrors.service_account_not_found(id);
    return account;
  }

  async function openWorkspace(tx: Parameters<typeof findWorkspace>[0], scope: Scope, id: string) {
    const workspace = mayAdminister(scope, id) ? await findWorkspace(tx, scope.organization_id, id) : undefined;
    if (!workspace) throw tenantErrors.workspace_not_found(id);
    return workspace;
  }

  function record(
    tx: Tx,
    scope: Scope,
    { id, name, workspace_id }: ServiceAccountRow,
    event_type: AuditEntry['event_type'],
    event_metadata: Record<string, string> = {},
  ): Promise<void> {
    const target = { target_type: 'SERVICE_ACCOUNT', target_metadata: { id, name } } as const;
    return audit.record(tx, { ...callerOf(scope), workspace_id, event_type, event_metadata, ...target });
  }

  /** Two changes of one account take turns, so the log tells them in the order in which they happened. */
  function change<T>(scope: Scope, id: string, work: (tx: Tx, account: ServiceAccountRow) => Promise<T>): Promise<T> {
    return database.transaction(async (tx) => {
      await lockFor(tx, database.kind, `service-account:${id}`);
      return work(tx, await find(tx, scope, id));
    });
  }

  return {
    async list(scope, query) {
      const { workspaceId } = query;
      if (workspaceId !== undefined) await openWorkspace(database.db, scope, workspaceId);
      else if (!scope.permissions.has(ORGANIZATION_ADMINISTER)) throw tenantErrors.service_accounts_of_organization();
      const { organization_id: organizationId } = scope;
      const among = await findCandidates(database, searchedServiceAccounts(organizationId), query.text?.toLowerCase());
      return listServiceAccounts(database.db, { ...query, among, organizationId });
    },
    get: (scope, id) => find(database.db, scope, id),
    create: (scope, { name, workspaceId, description, roles }) =>
      database.transaction(async (tx) => {
        const workspace = await openWorkspace(tx, scope, workspaceId);
        if (workspace.archived_at !== null) throw tenantErrors.workspace_archived(workspace.name);
        const id = uuid();
        const created_at = isoMicros(now);
        // No address looks like this placeholder, so nobody signs in with it or is invited by it.
        const person = {
          id,
          email: `service:${id}`,
          service_name: name,
          first_name: null,
          last_name: null,
          created_at,
        };
        await insertUser(tx, person);
        const account: ServiceAccountRow = {
          ...{ id, organization_id: scope.organization_id, workspace_id: workspaceId, name, description, roles },
          ...{ created_at, updated_at: created_at, deleted_at: null },
        };
        await insertServiceAccount(tx, account);
        await record(tx, scope, account, 'service_account.create', { roles: roles.join(', ') });
        return account;
      }),
    describe: (scope, id, description) =>
      change(scope, id, async (tx, account) => {
        if (account.description === description) return account;
        const updated = { ...account, description, updated_at: isoMicros(now) };
        await updateServiceAccount(tx, id, { description, updated_at: updated.updated_at });
        await record(tx, scope, account, 'service_account.update');
        return updated;
      }),
    setRoles: (scope, id, roles) =>
      change(scope, id, async (tx, account) => {
        const details = { roles: roles.toSorted().join(', '), previous_roles: account.roles.toSorted().join(', ') };
        if (details.roles === details.previous_roles) return account;
        const updated = { ...account, roles, updated_at: isoMicros(now) };
        await updateServiceAccount(tx, id, { roles, updated_at: updated.updated_at });
        keysSignal.raise(tx);
        await record(tx, scope, account, 'service_account.roles.set', details);
        return updated;
      }),
    remove: (scope, id) =>
      change(scope, id, async (tx, account) => {
        const deleted_at = isoMicros(now);
        await updateServiceAccount(tx, id, { deleted_at, updated_at: deleted_at });
        await forgetMember?.(tx, { organization_id: account.organization_id, user_id: id });
        await keys.revokeOfUser(tx, callerOf(scope), id);
        keysSignal.raise(tx);
        await record(tx, scope, account, 'service_account.delete');
      }),
    checkWorkspace: async (scope, workspaceId) => void (await openWorkspace(database.db, scope, workspaceId)),
  };
}

function mayAdminister(scope: Scope, workspaceId: string): boolean {
  return scope.workspace_id === workspaceId || scope.permissions.has(ORGANIZATION_ADMINISTER);
}
