import type { AuditEntry, AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { type Database, type Db, lockFor, type Signal, type Tx } from '../../kit/db/index.ts';
import { badRequest, conflict, notFound } from '../../kit/http/index.ts';
import type { By } from '../caller.ts';
import { choose } from '../choose-by-id-or-name.ts';
import type { OrganizationRole, WorkspaceRole } from '../permissions.ts';
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
  updateChildren,
  updateGroup,
  updateGroupRoles,
  updateParents,
} from '../store/groups.ts';
import { listMemberIds } from '../store/members.ts';
import type { GroupRow } from '../store/tables.ts';
import { findTally } from '../store/tallies.ts';
import { findWorkspace } from '../store/workspaces.ts';

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
  /** By id or name, for people at a keyboard. */
  choose(organizationId: string, idOrName: string): Promise<GroupRow>;
  create(by: By, input: GroupInput): Promise<Group>;
  update(by: By, id: string, changes: Partial<GroupInput>): Promise<Group>;
  remove(by: By, id: string): Promise<void>;
  setOrganizationRole(by: By, id: string, role: OrganizationRole): Promise<void>;
  members(organizationId: string, id: string, page: Page): Promise<{ members: GroupPerson[]; total: number }>;
  addMembers(by: By, id: string, userIds: readonly string[]): Promise<void>;
  removeMembers(by: By, id: string, userIds: readonly string[]): Promise<void>;
  workspaces(organizationId: string, id: string, page: Page): Promise<{ workspaces: GroupWorkspace[]; total: number }>;
  /** Whoever is in the group, or in a group nested in it, has these roles in the workspace. */
  assign(
    by: By,
    id: string,
    workspaceId: string,
    roles: readonly WorkspaceRole[],
    isThere: 'may' | 'must',
  ): Promise<void>;
  unassign(by: By, id: string, workspaceId: string): Promise<void>;
  children(organizationId: string, id: string): Promise<{ id: string; name: string }[]>;
  /** The whole set afterwards. */
  setChildren(by: By, id: string, childIds: readonly string[]): Promise<void>;
};

export function createGroupService(deps: {
  database: Database;
  audit: AuditService;
  keysSignal: Signal;
  now: Clock;
}): GroupService {
  const { database, audit, keysSignal, now } = deps;

  async function describe(db: Db, rows: GroupRow[]): Promise<Group[]> {
    if (rows.length === 0) return [];
    const parents = await listParents(
      db,
      rows.map(({ id }) => id),
    );
    const parentsOf = Map.groupBy(parents, ({ child_id }) => child_id);
    return rows.map((row) => ({ ...row, parent_ids: (parentsOf.get(row.id) ?? []).map(({ parent_id }) => parent_id) }));
  }

  async function find(db: Db, organizationId: string, id: string): Promise<GroupRow> {
    const row = await findGroup(db, organizationId, id);
    if (!row) throw notFound('user group', id);
    return row;
  }

  async function get(db: Db, organizationId: string, id: string): Promise<Group> {
    const row = await find(db, organizationId, id);
    return { ...row, parent_ids: (await listParents(db, [id])).map(({ parent_id }) => parent_id) };
  }

  async function refuseMissing(tx: Tx, organizationId: string, groupIds: readonly string[]): Promise<void> {
    const known = await listGroupIds(tx, organizationId, groupIds);
    for (const id of groupIds) if (!known.has(id)) throw notFound('user group', id);
  }

  /** Nested in each other, two groups would give one another their roles. */
  async function refuseCircle(tx: Tx, childId: string, parentId: string): Promise<void> {
    if (!(await listAncestors(tx, parentId)).has(childId)) return;
    throw conflict('The groups would be nested in a circle. Take one of them out first.');
  }

  async function nest(tx: Tx, organizationId: string, childId: string, parentIds: readonly string[]): Promise<void> {
    const parents = [...new Set(parentIds)];
    await refuseMissing(tx, organizationId, parents);
    await updateParents(tx, childId, []);
    for (const parentId of parents) await refuseCircle(tx, childId, parentId);
    await updateParents(tx, childId, parents);
  }

  /** Changes of an organization's groups take turns, so that two of them cannot close a circle together. */
  function change<T>(by: By, work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.transaction(async (tx) => {
      await lockFor(tx, database.kind, `groups:${by.organization_id}`);
      const result = await work(tx);
      keysSignal.raise(tx);
      return result;
    });
  }

  function record(
    tx: Tx,
    { organization_id, actor }: By,
    { id, name }: Pick<GroupRow, 'id' | 'name'>,
    event_type: AuditEntry['event_type'],
    event_metadata: Record<string, string> = {},
    workspace_id: string | null = null,
  ): Promise<void> {
    const target = { target_type: 'USER_GROUP', target_metadata: { id, name } } as const;
    return audit.record(tx, { organization_id, workspace_id, actor, event_type, event_metadata, ...target });
  }

  return {
    get: (organizationId, id) => get(database.db, organizationId, id),
    async choose(organizationId, idOrName) {
      const everything = { offset: 0, limit: Number.MAX_SAFE_INTEGER };
      return choose('user group', await listGroups(database.db, organizationId, everything), idOrName);
    },
    async list(organizationId, { search, offset, limit }) {
      const { db } = database;
      const filter = search || undefined;
      const rows = await listGroups(db, organizationId, { search: filter, offset, limit });
      return {
        groups: await describe(db, rows),
        total: filter
          ? await countGroups(db, organizationId, filter)
          : await findTally(db, organizationId, 'user_groups'),
      };
    },
    create: (by, { name, description, target_type, parentIds }) =>
      change(by, async (tx) => {
        const { organization_id } = by;
        const row: GroupRow = {
          id: uuid(),
          organization_id,
          name: nameOf(name),
          description,
          target_type,
          organization_role: null,
          created_at: isoMicros(now),
        };
        await insertGroup(tx, row);
        await nest(tx, organization_id, row.id, parentIds);
        await record(tx, by, row, 'user_group.create', { nested_in: parentIds.join(', ') });
        return get(tx, organization_id, row.id);
      }),
    update: (by, id, { name, description, target_type, parentIds }) =>
      change(by, async (tx) => {
        const before = await find(tx, by.organization_id, id);
        await updateGroup(tx, id, {
          name: name === undefined ? before.name : nameOf(name),
          description: description === undefined ? before.description : description,
          target_type: target_type === undefined ? before.target_type : target_type,
        });
        if (parentIds !== undefined) await nest(tx, by.organization_id, id, parentIds);
        const after = await get(tx, by.organization_id, id);
        await record(tx, by, after, 'user_group.update', {
          previous_name: before.name,
          nested_in: after.parent_ids.join(', '),
        });
        return after;
      }),
    remove: (by, id) =>
      change(by, async (tx) => {
        const group = await find(tx, by.organization_id, id);
        await deleteGroup(tx, id);
        await record(tx, by, group, 'user_group.delete');
      }),
    setOrganizationRole: (by, id, role) =>
      change(by, async (tx) => {
        const group = await find(tx, by.organization_id, id);
        await updateGroup(tx, id, { organization_role: role });
        const previous = group.organization_role ?? 'none';
        await record(tx, by, group, 'user_group.update', {
          organization_role: role,
          previous_organization_role: previous,
        });
      }),
    async members(organizationId, id, page) {
      await find(database.db, organizationId, id);
      return {
        members: await listGroupMembers(database.db, id, page),
        total: await findTally(database.db, id, 'members'),
      };
    },
    addMembers: (by, id, userIds) =>
      change(by, async (tx) => {
        const group = await find(tx, by.organization_id, id);
        const known = await listMemberIds(tx, by.organization_id, userIds);
        for (const userId of new Set(userIds)) {
          if (!known.has(userId)) throw notFound('user', userId);
          if (await insertGroupMember(tx, id, userId, isoMicros(now)))
            await record(tx, by, group, 'user_group.member.add', { member_user_uuid: userId });
        }
      }),
    removeMembers: (by, id, userIds) =>
      change(by, async (tx) => {
        const group = await find(tx, by.organization_id, id);
        for (const userId of new Set(userIds))
          if (await deleteGroupMember(tx, id, userId))
            await record(tx, by, group, 'user_group.member.remove', { member_user_uuid: userId });
      }),
    async workspaces(organizationId, id, page) {
      await find(database.db, organizationId, id);
      const rows = await listGroupWorkspaces(database.db, id, page);
      const ids = rows.map((row) => row.id);
      const roles = ids.length === 0 ? [] : await listGroupRolesIn(database.db, id, ids);
      const rolesIn = Map.groupBy(roles, ({ workspace_id }) => workspace_id);
      return {
        workspaces: rows.map((row) => ({ ...row, roles: (rolesIn.get(row.id) ?? []).map(({ role }) => role) })),
        total: await findTally(database.db, id, 'workspaces'),
      };
    },
    assign: (by, id, workspaceId, roles, isThere) =>
      change(by, async (tx) => {
        const group = await find(tx, by.organization_id, id);
        const workspace = await findWorkspace(tx, by.organization_id, workspaceId);
        if (!workspace || workspace.archived_at !== null) throw notFound('workspace', workspaceId);
        const [before, ...more] = await listGroupRolesIn(tx, id, [workspaceId]);
        if (isThere === 'must' && !before) throw notFound('workspace', workspaceId);
        await updateGroupRoles(tx, id, workspaceId, [...new Set(roles)], before?.created_at ?? isoMicros(now));
        const details = { roles: roles.join(', ') };
        if (!before) await record(tx, by, group, 'user_group.workspace.provision', details, workspaceId);
        else {
          const previous_roles = [before, ...more].map(({ role }) => role).join(', ');
          await record(tx, by, group, 'user_group.workspace.update', { ...details, previous_roles }, workspaceId);
        }
      }),
    unassign: (by, id, workspaceId) =>
      change(by, async (tx) => {
        const group = await find(tx, by.organization_id, id);
        const [before] = await listGroupRolesIn(tx, id, [workspaceId]);
        if (!before) throw notFound('workspace', workspaceId);
        await updateGroupRoles(tx, id, workspaceId, [], isoMicros(now));
        await record(tx, by, group, 'user_group.workspace.deprovision', {}, workspaceId);
      }),
    async children(organizationId, id) {
      await find(database.db, organizationId, id);
      return listChildren(database.db, id);
    },
    setChildren: (by, id, childIds) =>
      change(by, async (tx) => {
        const group = await find(tx, by.organization_id, id);
        const children = [...new Set(childIds)];
        await refuseMissing(tx, by.organization_id, children);
        await updateChildren(tx, id, []);
        for (const childId of children) await refuseCircle(tx, childId, id);
        await updateChildren(tx, id, children);
        await record(tx, by, group, 'user_group.update', { nested_groups: children.join(', ') });
      }),
  };
}

function nameOf(name: string): string {
  if (name.trim() === '') throw badRequest('A user group needs a name.');
  return name.trim();
}
