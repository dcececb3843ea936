import {
  callerOf,
  formatName,
  type Group,
  MEMBER_ROLE,
  type OrganizationRole,
  type Scope,
  type TenantService,
} from '../../tenants/index.ts';
import { adminErrors } from '../errors.ts';
import type {
  AdminProvisionGroupToWorkspaceIn,
  AdminUpdateUserGroupIn,
  AdminUserGroupIn,
  AdminUserGroupOut,
  AssignGroupToWorkspaceIn,
  GroupsQuery,
  UpdateGroupWorkspaceAssignmentIn,
} from '../schema/groups.ts';
import { type Page, rangeOf } from '../schema/page.ts';
import { ORGANIZATION_ROLE_IDS, WORKSPACE_ROLE_IDS, workspaceRolesIn } from '../schema/roles.ts';

export function createGroupAdministration({ tenants }: { tenants: TenantService }) {
  const { groups } = tenants;
  return {
    async list(scope: Scope, query: GroupsQuery) {
      const { page, page_size, search } = query;
      const found = await groups.list(scope.organization_id, { search: search ?? undefined, ...rangeOf(query) });
      return { total: found.total, items: found.groups.map(describe), page, page_size };
    },
    get: async (scope: Scope, id: string) => describe(await groups.get(scope.organization_id, id)),
    async create(scope: Scope, { name, description, target_type, parent_group_ids }: AdminUserGroupIn) {
      const input = { name, description: description ?? null, target_type: target_type ?? null };
      return describe(await groups.create(callerOf(scope), { ...input, parentIds: parent_group_ids ?? [] }));
    },
    async update(scope: Scope, id: string, body: AdminUpdateUserGroupIn) {
      const { name, description, target_type, parent_group_ids } = body;
      const changes = {
        ...(name != null && { name }),
        ...(description != null && { description }),
        ...(target_type != null && { target_type }),
        ...(parent_group_ids != null && { parentIds: parent_group_ids }),
      };
      return describe(await groups.update(callerOf(scope), id, changes));
    },
    remove: (scope: Scope, id: string) => groups.remove(callerOf(scope), id),
    setOrganizationRole: (scope: Scope, id: string, role: OrganizationRole) =>
      groups.setOrganizationRole(callerOf(scope), id, role),
    async members(scope: Scope, id: string, query: Page) {
      const { members, total } = await groups.members(scope.organization_id, id, rangeOf(query));
      const people = members.map((person) => ({ user_uuid: person.id, name: formatName(person), email: person.email }));
      return { total, members: people, ...query };
    },
    addMembers: (scope: Scope, id: string, userIds: string[]) => groups.addMembers(callerOf(scope), id, userIds),
    removeMembers: (scope: Scope, id: string, userIds: string[]) => groups.removeMembers(callerOf(scope), id, userIds),
    async workspaces(scope: Scope, id: string, query: Page) {
      const { workspaces, total } = await groups.workspaces(scope.organization_id, id, rangeOf(query));
      const items = workspaces.map(({ id: workspace_uuid, name, created_at, roles }) => {
        const described = roles.map((role) => ({ name: role, uuid: WORKSPACE_ROLE_IDS[role] }));
        const [first] = described;
        return {
          roles: described,
          role_uuid: first?.uuid ?? null,
          role_name: first?.name ?? null,
          workspace_uuid,
          workspace_name: name,
          created: created_at,
        };
      });
      return { total, items, ...query };
    },
    assign: (scope: Scope, id: string, body: AssignGroupToWorkspaceIn) =>
      groups.assign(callerOf(scope), id, body.workspace_uuid, workspaceRolesIn(body, [MEMBER_ROLE])),
    provision: (scope: Scope, body: AdminProvisionGroupToWorkspaceIn) =>
      groups.assign(callerOf(scope), body.user_group_uuid, body.workspace_uuid, workspaceRolesIn(body, [MEMBER_ROLE])),
    async updateAssignment(scope: Scope, id: string, workspaceId: string, body: UpdateGroupWorkspaceAssignmentIn) {
      const roles = workspaceRolesIn(body);
      if (roles.length === 0) throw adminErrors.roles_missing();
      return groups.reassign(callerOf(scope), id, workspaceId, roles);
    },
    unassign: (scope: Scope, id: string, workspaceId: string) => groups.unassign(callerOf(scope), id, workspaceId),
    async children(scope: Scope, id: string) {
      const children = await groups.children(scope.organization_id, id);
      return { children: children.map(({ id: uuid, name }) => ({ uuid, name })) };
    },
    setChildren: (scope: Scope, id: string, childIds: string[]) => groups.setChildren(callerOf(scope), id, childIds),
  };
}

function describe({ id, name, description, target_type, organization_role, parent_ids }: Group): AdminUserGroupOut {
  return {
    uuid: id,
    name,
    description,
    externally_managed: false,
    target_type,
    organization_role: organization_role === null ? null : ORGANIZATION_ROLE_IDS[organization_role],
    parent_group_ids: parent_ids,
  };
}
