import type { Scope, ServiceAccountRow, TenantService } from '../../tenants/index.ts';
import { describeRoles } from '../describe-roles.ts';
import { WORKSPACE_ROLE_IDS } from '../schema/roles.ts';
import {
  type CreateServiceAccountRequest,
  NO_ROLE_ID,
  type ServiceAccount,
  type ServiceAccountsQuery,
  serviceRolesIn,
  type UpdateServiceAccountRequest,
} from '../schema/service-accounts.ts';

export function createServiceAccountAdministration({ tenants }: { tenants: TenantService }) {
  const { serviceAccounts } = tenants;
  return {
    async list(scope: Scope, { workspace_id, include_deleted, q, order, offset, limit }: ServiceAccountsQuery) {
      const rows = await serviceAccounts.list(scope, {
        workspaceId: workspace_id ?? undefined,
        includesDeleted: include_deleted,
        text: q ?? undefined,
        ...{ order, offset, limit },
      });
      return { items: rows.map(describe) };
    },
    get: async (scope: Scope, id: string) => describe(await serviceAccounts.get(scope, id)),
    async create(scope: Scope, { name, workspace_id, description, role_ids }: CreateServiceAccountRequest) {
      const roles = serviceRolesIn(role_ids ?? []);
      const input = { name, workspaceId: workspace_id, description: description ?? null, roles };
      return describe(await serviceAccounts.create(scope, input));
    },
    async update(scope: Scope, id: string, { description }: UpdateServiceAccountRequest) {
      if (description === undefined) return describe(await serviceAccounts.get(scope, id));
      return describe(await serviceAccounts.describe(scope, id, description));
    },
    async remove(scope: Scope, id: string): Promise<undefined> {
      await serviceAccounts.remove(scope, id);
    },
    roles: async (scope: Scope, id: string) => describeServiceRoles(await serviceAccounts.get(scope, id)),
    setRoles: async (scope: Scope, id: string, roleIds: readonly string[]) =>
      describeServiceRoles(await serviceAccounts.setRoles(scope, id, serviceRolesIn(roleIds))),
    async assignableRoles(scope: Scope, workspaceId: string) {
      await serviceAccounts.checkWorkspace(scope, workspaceId);
      const { workspace_roles, organization_roles } = describeRoles();
      return { items: [...organization_roles.filter(({ uuid }) => uuid === NO_ROLE_ID), ...workspace_roles] };
    },
  };
}

function describe({ roles: _, ...row }: ServiceAccountRow): ServiceAccount {
  return { ...row, customer_id: row.organization_id };
}

function describeServiceRoles({ roles }: ServiceAccountRow) {
  const ids = roles.length > 0 ? roles.map((role) => WORKSPACE_ROLE_IDS[role]) : [NO_ROLE_ID];
  return { items: ids.map((role_id) => ({ role_id })) };
}
