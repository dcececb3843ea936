import type { AuditEntry, AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { type Database, type Db, lockFor, type Signal, type Tx } from '../../kit/db/index.ts';
import { badRequest, conflict, notFound } from '../../kit/http/index.ts';
import type { By } from '../caller.ts';
import { MEMBER_ROLE, type WorkspaceRole } from '../permissions.ts';
import { findMember, listMemberIds, updateWorkspaceRoles } from '../store/members.ts';
import { insertWorkspace, insertWorkspaceMember } from '../store/organizations.ts';
import type { WorkspaceRow } from '../store/tables.ts';
import { findTally } from '../store/tallies.ts';
import {
  countWorkspaces,
  deleteWorkspaceMember,
  findWorkspace,
  insertAllMembers,
  listWorkspaceMemberIds,
  listWorkspacePage,
  updateWorkspace,
} from '../store/workspaces.ts';

export type Workspace = WorkspaceRow & { members_count: number };
export type WorkspaceChanges = {
  name?: string | undefined;
  description?: string | undefined;
  icon?: string | undefined;
};
export type Placement = { user_id: string; roles: readonly WorkspaceRole[] };

export type WorkspaceService = {
  list(
    organizationId: string,
    query: { isArchived: boolean; search?: string | undefined; offset: number; limit: number },
  ): Promise<{ workspaces: Workspace[]; total: number }>;
  get(organizationId: string, id: string): Promise<Workspace>;
  create(
    by: By,
    input: { name: string; description: string; icon: string; adminId: string; addsEverybody: boolean },
  ): Promise<Workspace>;
  update(by: By, id: string, changes: WorkspaceChanges): Promise<Workspace>;
  /** Its keys stop working; what is in it stays. Archiving twice changes nothing. */
  archive(by: By, id: string): Promise<void>;
  /** Who is there already is left alone, or gets the roles instead of the ones before. */
  place(
    by: By,
    id: string,
    members: readonly Placement[],
    whoIsThere: 'leave' | 'update',
  ): Promise<{ added: number; updated: number }>;
  takeOut(by: By, id: string, userIds: readonly string[]): Promise<{ removed: number; notThere: string[] }>;
};

export function createWorkspaceService(deps: {
  database: Database;
  audit: AuditService;
  keysSignal: Signal;
  now: Clock;
}): WorkspaceService {
  const { database, audit, keysSignal, now } = deps;

  async function get(db: Db, organizationId: string, id: string): Promise<Workspace> {
    const found = await findWorkspace(db, organizationId, id);
    if (!found) throw notFound('workspace', id);
    return found;
  }

  async function getInUse(tx: Tx, organizationId: string, id: string): Promise<Workspace> {
    await lockFor(tx, database.kind, `workspace:${id}`);
    const found = await get(tx, organizationId, id);
    if (found.archived_at !== null) throw conflict(`The workspace '${found.name}' is archived and cannot be changed.`);
    return found;
  }

  function record(
    tx: Tx,
    { organization_id, actor }: By,
    { id, name }: Pick<Workspace, 'id' | 'name'>,
    event_type: AuditEntry['event_type'],
    event_metadata: Record<string, string> = {},
  ): Promise<void> {
    const target = { target_type: 'WORKSPACE', target_metadata: { id, name } } as const;
    return audit.record(tx, { organization_id, workspace_id: id, actor, event_type, event_metadata, ...target });
  }

  return {
    get: (organizationId, id) => get(database.db, organizationId, id),
    async list(organizationId, { isArchived, search, offset, limit }) {
      const { db } = database;
      const filter = search || undefined;
      return {
        workspaces: await listWorkspacePage(db, organizationId, { isArchived, search: filter, offset, limit }),
        total: filter
          ? await countWorkspaces(db, organizationId, isArchived, filter)
          : await findTally(db, organizationId, isArchived ? 'archived_workspaces' : 'workspaces'),
      };
    },
    create: (by, { name, description, icon, adminId, addsEverybody }) =>
      database.transaction(async (tx) => {
        const { organization_id } = by;
        if (name.trim() === '') throw badRequest('A workspace needs a name.');
        if (!(await findMember(tx, organization_id, adminId))) throw notFound('user', adminId);
        const created_at = isoMicros(now);
        const row = { id: uuid(), organization_id, name: name.trim(), description, icon, created_at };
        await insertWorkspace(tx, { ...row, is_default: false, archived_at: null });
        await insertWorkspaceMember(tx, row.id, adminId, 'workspace_admin', created_at);
        const others = addsEverybody ? await insertAllMembers(tx, row, MEMBER_ROLE, created_at) : 0;
        keysSignal.raise(tx);
        await record(tx, by, row, 'workspace.create', { admin_user_uuid: adminId });
        if (others > 0) await record(tx, by, row, 'workspace.member.add', { members: 'all', count: String(others) });
        return get(tx, organization_id, row.id);
      }),
    update: (by, id, changes) =>
      database.transaction(async (tx) => {
        const before = await getInUse(tx, by.organization_id, id);
        const { name, description, icon } = { ...before, ...withoutUndefined(changes) };
        if (name.trim() === '') throw badRequest('A workspace needs a name.');
        await updateWorkspace(tx, id, { name: name.trim(), description, icon });
        const after = await get(tx, by.organization_id, id);
        const changed = (['name', 'description', 'icon'] as const).filter((field) => before[field] !== after[field]);
        if (changed.length === 0) return after;
        // The name is part of what a key's identity answers.
        keysSignal.raise(tx);
        await record(tx, by, after, 'workspace.update', { changed: changed.join(', '), previous_name: before.name });
        return after;
      }),
    archive: (by, id) =>
      database.transaction(async (tx) => {
        await lockFor(tx, database.kind, `workspace:${id}`);
        const found = await get(tx, by.organization_id, id);
        if (found.archived_at !== null) return;
        if (found.is_default) throw conflict('The default workspace of an organization cannot be archived.');
        await updateWorkspace(tx, id, { archived_at: isoMicros(now) });
        keysSignal.raise(tx);
        await record(tx, by, found, 'workspace.delete');
      }),
    place: (by, id, members, whoIsThere) =>
      database.transaction(async (tx) => {
        const workspace = await getInUse(tx, by.organization_id, id);
        const userIds = [...new Set(members.map(({ user_id }) => user_id))];
        const known = await listMemberIds(tx, by.organization_id, userIds);
        for (const userId of userIds) if (!known.has(userId)) throw notFound('user', userId);
        const there = userIds.length === 0 ? [] : await listWorkspaceMemberIds(tx, id, userIds);
        const present = new Set(there.map(({ user_id }) => user_id));
        const changing = new Map(members.map((member) => [member.user_id, member.roles]));
        let [added, updated] = [0, 0];
        for (const [userId, roles] of changing) {
          if (present.has(userId) && whoIsThere === 'leave') continue;
          await updateWorkspaceRoles(tx, id, userId, roles, isoMicros(now));
          if (present.has(userId)) updated++;
          else added++;
          const event = present.has(userId) ? 'workspace.member.role.update' : 'workspace.member.add';
          await record(tx, by, workspace, event, { member_user_uuid: userId, roles: roles.join(', ') });
        }
        if (added + updated > 0) keysSignal.raise(tx);
        return { added, updated };
      }),
    takeOut: (by, id, userIds) =>
      database.transaction(async (tx) => {
        const workspace = await getInUse(tx, by.organization_id, id);
        const notThere: string[] = [];
        let removed = 0;
        for (const userId of new Set(userIds)) {
          if (await deleteWorkspaceMember(tx, id, userId)) {
            removed++;
            await record(tx, by, workspace, 'workspace.member.remove', { member_user_uuid: userId });
          } else notThere.push(userId);
        }
        if (removed > 0) keysSignal.raise(tx);
        return { removed, notThere };
      }),
  };
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, given]) => given !== undefined)) as never;
}
