import type { AuditEntry } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { type Db, findCandidates, lockFor, type Tx } from '../../kit/db/index.ts';
import type { Caller } from '../caller.ts';
import { chooseByIdOrName } from '../choose-by-id-or-name.ts';
import { tenantErrors } from '../errors.ts';
import type { OrganizationRole, WorkspaceRole } from '../schema.ts';
import {
  countGroups,
  deleteGroup,
  deleteGroupMember,
  findGroup,
  insertGroup,
  insertGroupMember,
  listAncestors,
  listChildren,
  listGroupIds,
  listGroupMembers,
  listGroupRolesIn,
  listGroups,
  listGroupWorkspaces,
  listParents,
  searchedGroups,
  updateChildren,
  updateGroup,
  updateGroupRoles,
  updateParents,
} from '../store/groups.ts';
import { listMemberIds } from '../store/members.ts';
import type { GroupRow } from '../store/tables.ts';
import { findTally } from '../store/tallies.ts';
import { findWorkspace } from '../store/workspaces.ts';
import type { TenantPorts } from './ports.ts';

type Page = { offset: number; limit: number };
export type Group = GroupRow & { parent_ids: string[] };
export type GroupInput = {
  name: string;
  description: string | null;
  target_type: GroupRow['target_type'];
  parentIds: readonly string[];
};
export type GroupPerson = { id: string; email: string; first_name: string | null; last_name: string | null };
export type GroupWorkspace = { id: string; name: string; created_at: string; roles: WorkspaceRole[] };

export type GroupService = {
  list(
    organizationId: string,
    query: Page & { search?: string | undefined },
  ): Promise<{ groups: Group[]; total: number }>;
  get(organizationId: string, id: string): Promise<Group>;
  /** By id or name. */
  choose(organizationId: string, idOrName: string): Promise<GroupRow>;
  create(caller: Caller, input: GroupInput): Promise<Group>;
  update(caller: Caller, id: string, changes: Partial<GroupInput>): Promise<Group>;
  remove(caller: Caller, id: string): Promise<undefined>;
  setOrganizationRole(caller: Caller, id: string, role: OrganizationRole): Promise<undefined>;
  members(organizationId: string, id: string, page: Page): Promise<{ members: GroupPerson[]; total: number }>;
  addMembers(caller: Caller, id: string, userIds: readonly string[]): Promise<undefined>;
  removeMembers(caller: Caller, id: string, userIds: readonly string[]): Promise<undefined>;
  workspaces(organizationId: string, id: string, page: Page): Promise<{ workspaces: GroupWorkspace[]; total: number }>;
  /** Gives these roles in the workspace to all members of the group and of groups nested in it. */
  assign(caller: Caller, id: string, workspaceId: string, roles: readonly WorkspaceRole[]): Promise<undefined>;
  /** The same; throws 404 when the group has no roles there yet. */
  reassign(caller: Caller, id: string, workspaceId: string, roles: readonly WorkspaceRole[]): Promise<undefined>;
  unassign(caller: Caller, id: string, workspaceId: string): Promise<undefined>;
  children(organizationId: string, id: string): Promise<{ id: string; name: string }[]>;
  /** Replaces the whole set. */
  setChildren(caller: Caller, id: string, childIds: readonly string[]): Promise<undefined>;
};

export function createGroupService({ database, audit, keysSignal, now }: TenantPorts): GroupService {
  async function describe(db: Db, rows: GroupRow[]): Promise<Group[]> {
    const ids = rows.map(({ id }) => id);
    const parentsOf = Map.groupBy(await listParents(db, ids), ({ child_id }) => child_id);
    return rows.map((row) => ({ ...row, parent_ids: (parentsOf.get(row.id) ?? []).map(({ parent_id }) => parent_id) }));
  }

  async function find(db: Db, organizationId: string, id: string): Promise<GroupRow> {
    const row = await findGroup(db, organizationId, id);
    if (!row) throw tenantErrors.user_group_not_found(id);
    return row;
  }

  async function get(db: Db, organizationId: string, id: string): Promise<Group> {
    const row = await find(db, organizationId, id);
    return { ...row, parent_ids: (await listParents(db, [id])).map(({ parent_id }) => parent_id) };
  }

  async function refuseUnknown(tx: Tx, organizationId: string, groupIds: readonly string[]): Promise<void> {
    const known = await listGroupIds(tx, organizationId, groupIds);
    for (const id of groupIds) if (!known.has(id)) throw tenantErrors.user_group_not_found(id);
  }

  /** Groups nested in each other would give one another their roles. */
  async function refuseCycle(tx: Tx, childId: string, parentId: string): Promise<void> {
    if ((await listAncestors(tx, parentId)).has(childId)) throw tenantErrors.user_group_cycle();
  }

  async function setParents(tx: Tx, organizationId: string, childId: string, parentIds: readonly string[]) {
    const parents = [...new Set(parentIds)];
    await refuseUnknown(tx, organizationId, parents);
    await updateParents(tx, childId, []);
    for (const parentId of parents) await refuseCycle(tx, childId, parentId);
    await updateParents(tx, childId, parents);
  }

  /** Runs one change of an organization's groups at a time, so that two of them cannot close a cycle together. */
  function change<T>({ organization_id }: Caller, work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.transaction(async (tx) => {
      await lockFor(tx, database.kind, `groups:${organization_id}`);
      const result = await work(tx);
      keysSignal.raise(tx);
      return result;
    });
  }

  function changeGroup(
    caller: Caller,
    id: string,
    work: (tx: Tx, group: GroupRow) => Promise<undefined>,
  ): Promise<undefined> {
    return change(caller, async (tx) => work(tx, await find(tx, caller.organization_id, id)));
  }

  function record(
    tx: Tx,
    caller: Caller,
    { id, name }: Pick<GroupRow, 'id' | 'name'>,
    event_type: AuditEntry['event_type'],
    event_metadata: Record<string, string> = {},
    workspace_id: string | null = null,
  ): Promise<void> {
    const target = { target_type: 'USER_GROUP', target_metadata: { id, name } } as const;
    return audit.record(tx, { ...caller, workspace_id, event_type, event_metadata, ...target });
  }

  function assign(
    caller: Caller,
    id: string,
    workspaceId: string,
    roles: readonly WorkspaceRole[],
    mustBeAssigned: boolean,
  ): Promise<undefined> {
    return changeGroup(caller, id, async (tx, group) => {
      const workspace = await findWorkspace(tx, caller.organization_id, workspaceId);
      const before = await listGroupRolesIn(tx, id, [workspaceId]);
      if (!workspace || workspace.archived_at !== null || (mustBeAssigned && before.length === 0))
        throw tenantErrors.workspace_not_found(workspaceId);
      await updateGroupRoles(tx, id, workspaceId, [...new Set(roles)], before[0]?.created_at ?? isoMicros(now));
      const details = { roles: roles.join(', ') };
      if (before.length === 0) await record(tx, caller, group, 'user_group.workspace.provision', details, workspaceId);
      else {
        const previous_roles = before.map(({ role }) => role).join(', ');
        await record(tx, caller, group, 'user_group.workspace.update', { ...details, previous_roles }, workspaceId);
      }
    });
  }

  return {
    get: (organizationId, id) => get(database.db, organizationId, id),
    async choose(organizationId, idOrName) {
      const everything = { offset: 0, limit: Number.MAX_SAFE_INTEGER };
      return chooseByIdOrName('user group', await listGroups(database.db, organizationId, everything), idOrName);
    },
    async list(organizationId, { search, offset, limit }) {
      const { db } = database;
      const filter = search || undefined;
      const among = await findCandidates(database, searchedGroups(organizationId), filter?.toLowerCase());
      const rows = await listGroups(db, organizationId, { search: filter, among, offset, limit });
      return {
        groups: await describe(db, rows),
        total: filter
          ? await countGroups(db, organizationId, { search: filter, among, offset, limit })
          : await findTally(db, organizationId, 'user_groups'),
      };
    },
    create: (caller, { name, description, target_type, parentIds }) =>
      change(caller, async (tx) => {
        const { organization_id } = caller;
        const row: GroupRow = {
          id: uuid(),
          organization_id,
          name: trimName(name),
          description,
          target_type,
          organization_role: null,
          created_at: isoMicros(now),
        };
        await insertGroup(tx, row);
        await setParents(tx, organization_id, row.id, parentIds);
        await record(tx, caller, row, 'user_group.create', { nested_in: parentIds.join(', ') });
        return get(tx, organization_id, row.id);
      }),
    update: (caller, id, { name, description, target_type, parentIds }) =>
      change(caller, async (tx) => {
        const before = await find(tx, caller.organization_id, id);
        await updateGroup(tx, id, {
          name: name === undefined ? before.name : trimName(name),
          description: description === undefined ? before.description : description,
          target_type: target_type === undefined ? before.target_type : target_type,
        });
        if (parentIds !== undefined) await setParents(tx, caller.organization_id, id, parentIds);
        const after = await get(tx, caller.organization_id, id);
        await record(tx, caller, after, 'user_group.update', {
          previous_name: before.name,
          nested_in: after.parent_ids.join(', '),
        });
        return after;
      }),
    remove: (caller, id) =>
      changeGroup(caller, id, async (tx, group) => {
        await deleteGroup(tx, id);
        await record(tx, caller, group, 'user_group.delete');
      }),
    setOrganizationRole: (caller, id, role) =>
      changeGroup(caller, id, async (tx, group) => {
        await updateGroup(tx, id, { organization_role: role });
        await record(tx, caller, group, 'user_group.update', {
          organization_role: role,
          previous_organization_role: group.organization_role ?? 'none',
        });
      }),
    async members(organizationId, id, page) {
      await find(database.db, organizationId, id);
      return {
        members: await listGroupMembers(database.db, id, page),
        total: await findTally(database.db, id, 'members'),
      };
    },
    addMembers: (caller, id, userIds) =>
      changeGroup(caller, id, async (tx, group) => {
        const known = await listMemberIds(tx, caller.organization_id, userIds);
        for (const userId of new Set(userIds)) {
          if (!known.has(userId)) throw tenantErrors.user_not_found(userId);
          if (await insertGroupMember(tx, id, userId, isoMicros(now)))
            await record(tx, caller, group, 'user_group.member.add', { member_user_uuid: userId });
        }
      }),
    removeMembers: (caller, id, userIds) =>
      changeGroup(caller, id, async (tx, group) => {
        for (const userId of new Set(userIds))
          if (await deleteGroupMember(tx, id, userId))
            await record(tx, caller, group, 'user_group.member.remove', { member_user_uuid: userId });
      }),
    async workspaces(organizationId, id, page) {
      await find(database.db, organizationId, id);
      const rows = await listGroupWorkspaces(database.db, id, page);
      const ids = rows.map((row) => row.id);
      const rolesIn = Map.groupBy(await listGroupRolesIn(database.db, id, ids), ({ workspace_id }) => workspace_id);
      return {
        workspaces: rows.map((row) => ({ ...row, roles: (rolesIn.get(row.id) ?? []).map(({ role }) => role) })),
        total: await findTally(database.db, id, 'workspaces'),
      };
    },
    assign: (caller, id, workspaceId, roles) => assign(caller, id, workspaceId, roles, false),
    reassign: (caller, id, workspaceId, roles) => assign(caller, id, workspaceId, roles, true),
    unassign: (caller, id, workspaceId) =>
      changeGroup(caller, id, async (tx, group) => {
        const before = await listGroupRolesIn(tx, id, [workspaceId]);
        if (before.length === 0) throw tenantErrors.workspace_not_found(workspaceId);
        await updateGroupRoles(tx, id, workspaceId, [], isoMicros(now));
        await record(tx, caller, group, 'user_group.workspace.deprovision', {}, workspaceId);
      }),
    async children(organizationId, id) {
      await find(database.db, organizationId, id);
      return listChildren(database.db, id);
    },
    setChildren: (caller, id, childIds) =>
      changeGroup(caller, id, async (tx, group) => {
        const children = [...new Set(childIds)];
        await refuseUnknown(tx, caller.organization_id, children);
        await updateChildren(tx, id, []);
        for (const childId of children) await refuseCycle(tx, childId, id);
        await updateChildren(tx, id, children);
        await record(tx, caller, group, 'user_group.update', { nested_groups: children.join(', ') });
      }),
  };
}

function trimName(name: string): string {
  if (name.trim() === '') throw tenantErrors.name_missing('A user group');
  return name.trim();
}
