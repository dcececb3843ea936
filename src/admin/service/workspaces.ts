import type { Database } from '../../kit/db/index.ts';
import { fromMicros, type Metering } from '../../metering/index.ts';
import { callerOf, MEMBER_ROLE, type Scope, type TenantService, type Workspace } from '../../tenants/index.ts';
import { describeWorkspaceRoles } from '../describe-roles.ts';
import { rangeOf } from '../schema/page.ts';
import { workspaceRolesIn } from '../schema/roles.ts';
import type {
  AdminWorkspaceIn,
  RemoveWorkspaceMembersIN,
  UpdateWorkspaceIN,
  WorkspaceMemberIN,
  WorkspaceOUT,
  WorkspacesQuery,
} from '../schema/workspaces.ts';

export function createWorkspaceAdministration({
  tenants,
  metering,
  database,
  currency,
}: {
  tenants: TenantService;
  metering: Metering;
  database: Database;
  currency: string;
}) {
  const { workspaces } = tenants;

  async function describe(rows: Workspace[]): Promise<WorkspaceOUT[]> {
    const ids = rows.map(({ id }) => id);
    const limits = await metering.listLimitsOf(database.db, 'workspace', ids);
    return rows.map((row, index) => {
      const budget = limits[index]?.monthly_budget_micros ?? null;
      return {
        uuid: row.id,
        name: row.name,
        description: row.description,
        icon: row.icon,
        members_count: row.members_count,
        spend_limit: {
          value: budget === null ? null : fromMicros(budget),
          currency,
          no_monthly_limit: budget === null,
        },
        is_default: row.is_default,
      };
    });
  }

  async function describeOne(row: Workspace): Promise<WorkspaceOUT> {
    const [described] = await describe([row]);
    if (!described) throw new Error('The description of a workspace is missing.');
    return described;
  }

  const membersOf = ({ members }: WorkspaceMemberIN) =>
    (members ?? []).map((member) => ({
      user_id: member.user_uuid,
      roles: workspaceRolesIn(member, [MEMBER_ROLE]),
    }));

  return {
    async list(scope: Scope, query: WorkspacesQuery) {
      const { page, page_size, is_archived, search } = query;
      const filter = { isArchived: is_archived, search: search ?? undefined, ...rangeOf(query) };
      const found = await workspaces.list(scope.organization_id, filter);
      return { total: found.total, items: await describe(found.workspaces), object: 'list' as const, page, page_size };
    },
    async create(scope: Scope, body: AdminWorkspaceIn) {
      const { name, description, icon, admin_user_id, add_all_org_members } = body;
      const input = { name, description, icon, adminId: admin_user_id, addsEverybody: add_all_org_members };
      const workspace = await workspaces.create(callerOf(scope), input);
      return { ...(await describeOne(workspace)), ...describeWorkspaceRoles(['workspace_admin']) };
    },
    async update(scope: Scope, id: string, { name, description, icon }: UpdateWorkspaceIN) {
      const changes = { name: name ?? undefined, description: description ?? undefined, icon: icon ?? undefined };
      return describeOne(await workspaces.update(callerOf(scope), id, changes));
    },
    archive: (scope: Scope, id: string) => workspaces.archive(callerOf(scope), id),
    async addUsers(scope: Scope, id: string, body: WorkspaceMemberIN) {
      const { added } = await workspaces.addMembers(callerOf(scope), id, membersOf(body), 'keep');
      return { added_members_count: added };
    },
    async addOrUpdateUsers(scope: Scope, id: string, body: WorkspaceMemberIN) {
      const { added, updated } = await workspaces.addMembers(callerOf(scope), id, membersOf(body), 'update');
      return { added_members_count: added, updated_members_count: updated };
    },
    async removeUsers(scope: Scope, id: string, { members }: RemoveWorkspaceMembersIN) {
      const userIds = members.map(({ user_uuid }) => user_uuid);
      const { removed, missing } = await workspaces.removeMembers(callerOf(scope), id, userIds);
      return { deleted_members_count: removed, not_deleted_members: missing };
    },
  };
}
