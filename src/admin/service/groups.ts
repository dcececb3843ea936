import { badRequest } from '../../kit/http/index.ts';
import {
  byKey,
  type Group,
  MEMBER_ROLE,
  type OrganizationRole,
  type Scope,
  type TenantService,
  type WorkspaceRole,
} from '../../tenants/index.ts';
import { nothing } from '../return-no-body.ts';
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
import { nameOf } from './users.ts';

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
      return describe(await groups.create(byKey(scope), { ...input, parentIds: parent_group_ids ?? [] }));
    },
    async update(scope: Scope, id: string, body: AdminUpdateUserGroupIn) {
      const { name, description, target_type, parent_group_ids } = body;
      const changes = {
        ...(name != null && { name }),
        ...(description != null && { description }),
        ...(target_type != null && { target_type }),
        ...(parent_group_ids != null && { parentIds: parent_group_ids }),
      };
      return describe(await groups.update(byKey(scope), id, changes));
    },
    remove: (scope: Scope, id: string) => nothing(groups.remove(byKey(scope), id)),
    setOrganizationRole: (scope: Scope, id: string, role: OrganizationRole) =>
      nothing(groups.setOrganizationRole(byKey(scope), id, role)),
    async members(scope: Scope, id: string, query: Page) {
      const { members, total } = await groups.members(scope.organization_id, id, rangeOf(query));
      const people = members.map((person) => ({ user_uuid: person.id, name: nameOf(person), email: person.email }));
      return { total, members: people, ...query };
    },
    addMembers: (scope: Scope, id: string, userIds: string[]) => nothing(groups.addMembers(byKey(scope), id, userIds)),
    removeMembers: (scope: Scope, id: string, userIds: string[]) =>
      nothing(groups.removeMembers(byKey(scope), id, userIds)),
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
      nothing(groups.assign(byKey(scope), id, body.workspace_uuid, rolesOf(body), 'may')),
    provision: (scope: Scope, body: AdminProvisionGroupToWorkspaceIn) =>
      nothing(groups.assign(byKey(scope), body.user_group_uuid, body.workspace_uuid, rolesOf(body), 'may')),
    async updateAssignment(scope: Scope, id: string, workspaceId: string, body: UpdateGroupWorkspaceAssignmentIn) {
      const roles = workspaceRolesIn(body);
      if (roles.length === 0) throw badRequest('Name the roles that the group has in the workspace from now on.');
      return nothing(groups.assign(byKey(scope), id, workspaceId, roles, 'must'));
    },
    unassign: (scope: Scope, id: string, workspaceId: string) =>
      nothing(groups.unassign(byKey(scope), id, workspaceId)),
    async children(scope: Scope, id: string) {
      const children = await groups.children(scope.organization_id, id);
      return { children: children.map(({ id: uuid, name }) => ({ uuid, name })) };
    },
    setChildren: (scope: Scope, id: string, childIds: string[]) =>
      nothing(groups.setChildren(byKey(scope), id, childIds)),
  };
}

function rolesOf(body: Parameters<typeof workspaceRolesIn>[0]): WorkspaceRole[] {
  const roles = workspaceRolesIn(body);
  return roles.length > 0 ? roles : [MEMBER_ROLE];
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
