import type { AuditEntry } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { type Db, findCandidates, lockFor, type Tx } from '../../kit/db/index.ts';
import type { Caller } from '../caller.ts';
import { tenantErrors } from '../errors.ts';
import { MEMBER_ROLE, type WorkspaceRole } from '../schema.ts';
import { findMember, listMemberIds, updateWorkspaceRoles } from '../store/members.ts';
import type { WorkspaceRow } from '../store/tables.ts';
import { findTally } from '../store/tallies.ts';
import {
  countWorkspaces,
  deleteWorkspaceMember,
  findWorkspace,
  insertAllMembers,
  insertWorkspace,
  listWorkspaceMemberIds,
  listWorkspacePage,
  searchedWorkspaces,
  updateWorkspace,
} from '../store/workspaces.ts';
import type { TenantPorts } from './ports.ts';

export type Workspace = WorkspaceRow & { members_count: number };
export type WorkspaceChanges = {
  name?: string | undefined;
  description?: string | undefined;
  icon?: string | undefined;
};
export type MemberRoles = { user_id: string; roles: readonly WorkspaceRole[] };

export type WorkspaceService = {
  list(
    organizationId: string,
    query: { isArchived: boolean; search?: string | undefined; offset: number; limit: number },
  ): Promise<{ workspaces: Workspace[]; total: number }>;
  get(organizationId: string, id: string): Promise<Workspace>;
  create(
    caller: Caller,
    input: { name: string; description: string; icon: string; adminId: string; addsEverybody: boolean },
  ): Promise<Workspace>;
  update(caller: Caller, id: string, changes: WorkspaceChanges): Promise<Workspace>;
  /** Its keys stop working; its objects are kept. Archiving twice changes nothing. */
  archive(caller: Caller, id: string): Promise<undefined>;
  /** `existing` decides whether present members keep their roles or get the new ones instead. */
  addMembers(
    caller: Caller,
    id: string,
    members: readonly MemberRoles[],
    existing: 'keep' | 'update',
  ): Promise<{ added: number; updated: number }>;
  removeMembers(
    caller: Caller,
    id: string,
    userIds: readonly string[],
  ): Promise<{ removed: number; missing: string[] }>;
};

export function createWorkspaceService({ database, audit, keysSignal, now }: TenantPorts): WorkspaceService {
  async function get(db: Db, organizationId: string, id: string): Promise<Workspace> {
    const found = await findWorkspace(db, organizationId, id);
    if (!found) throw tenantErrors.workspace_not_found(id);
    return found;
  }

  async function getForChange(tx: Tx, organizationId: string, id: string): Promise<Workspace> {
    await lockFor(tx, database.kind, `workspace:${id}`);
    const found = await get(tx, organizationId, id);
    if (found.archived_at !== null) throw tenantErrors.workspace_archived(found.name);
    return found;
  }

  function record(
    tx: Tx,
    caller: Caller,
    { id, name }: Pick<Workspace, 'id' | 'name'>,
    event_type: AuditEntry['event_type'],
    event_metadata: Record<string, string> = {},
  ): Promise<void> {
    const target = { target_type: 'WORKSPACE', target_metadata: { id, name } } as const;
    return audit.record(tx, { ...caller, workspace_id: id, event_type, event_metadata, ...target });
  }

  return {
    get: (organizationId, id) => get(database.db, organizationId, id),
    async list(organizationId, { isArchived, search, offset, limit }) {
      const { db } = database;
      const filter = search || undefined;
      const among = await findCandidates(database, searchedWorkspaces(organizationId), filter?.toLowerCase());
      const page = { isArchived, among, offset, limit };
      return {
        workspaces: await listWorkspacePage(db, organizationId, { ...page, search: filter }),
        total: filter
          ? await countWorkspaces(db, organizationId, { ...page, search: filter })
          : await findTally(db, organizationId, isArchived ? 'archived_workspaces' : 'workspaces'),
      };
    },
    create: (caller, { name, description, icon, adminId, addsEverybody }) =>
      database.transaction(async (tx) => {
        const { organization_id } = caller;
        if (name.trim() === '') throw tenantErrors.name_missing('A workspace');
        if (!(await findMember(tx, organization_id, adminId))) throw tenantErrors.user_not_found(adminId);
        const created_at = isoMicros(now);
        const row = { id: uuid(), organization_id, name: name.trim(), description, icon, created_at };
        await insertWorkspace(tx, { ...row, is_default: false, archived_at: null });
        await updateWorkspaceRoles(tx, row.id, adminId, ['workspace_admin'], created_at);
        const others = addsEverybody ? await insertAllMembers(tx, row, MEMBER_ROLE, created_at) : 0;
        keysSignal.raise(tx);
        await record(tx, caller, row, 'workspace.create', { admin_user_uuid: adminId });
        if (others > 0)
          await record(tx, caller, row, 'workspace.member.add', { members: 'all', count: String(others) });
        return get(tx, organization_id, row.id);
      }),
    update: (caller, id, { name, description, icon }) =>
      database.transaction(async (tx) => {
        const before = await getForChange(tx, caller.organization_id, id);
        if (name?.trim() === '') throw tenantErrors.name_missing('A workspace');
        await updateWorkspace(tx, id, {
          name: (name ?? before.name).trim(),
          description: description ?? before.description,
          icon: icon ?? before.icon,
        });
        const after = await get(tx, caller.organization_id, id);
        const changed = (['name', 'description', 'icon'] as const).filter((field) => before[field] !== after[field]);
        if (changed.length === 0) return after;
        // Cached scopes hold the workspace's name.
        keysSignal.raise(tx);
        const event_metadata = { changed: changed.join(', '), previous_name: before.name };
        await record(tx, caller, after, 'workspace.update', event_metadata);
        return after;
      }),
    archive: (caller, id) =>
      database.transaction(async (tx): Promise<undefined> => {
        await lockFor(tx, database.kind, `workspace:${id}`);
        const found = await get(tx, caller.organization_id, id);
        if (found.archived_at !== null) return;
        if (found.is_default) throw tenantErrors.default_workspace();
        await updateWorkspace(tx, id, { archived_at: isoMicros(now) });
        keysSignal.raise(tx);
        await record(tx, caller, found, 'workspace.delete');
      }),
    addMembers: (caller, id, members, existing) =>
      database.transaction(async (tx) => {
        const workspace = await getForChange(tx, caller.organization_id, id);
        const rolesOf = new Map(members.map(({ user_id, roles }) => [user_id, roles]));
        const userIds = [...rolesOf.keys()];
        const known = await listMemberIds(tx, caller.organization_id, userIds);
        for (const userId of userIds) if (!known.has(userId)) throw tenantErrors.user_not_found(userId);
        const present = await listWorkspaceMemberIds(tx, id, userIds);
        let [added, updated] = [0, 0];
        for (const [userId, roles] of rolesOf) {
          const isPresent = present.has(userId);
          if (isPresent && existing === 'keep') continue;
          await updateWorkspaceRoles(tx, id, userId, roles, isoMicros(now));
          if (isPresent) updated++;
          else added++;
          const event = isPresent ? 'workspace.member.role.update' : 'workspace.member.add';
          await record(tx, caller, workspace, event, { member_user_uuid: userId, roles: roles.join(', ') });
        }
        if (added + updated > 0) keysSignal.raise(tx);
        return { added, updated };
      }),
    removeMembers: (caller, id, userIds) =>
      database.transaction(async (tx) => {
        const workspace = await getForChange(tx, caller.organization_id, id);
        const missing: string[] = [];
        let removed = 0;
        for (const userId of new Set(userIds)) {
          if (await deleteWorkspaceMember(tx, id, userId)) {
            removed++;
            await record(tx, caller, workspace, 'workspace.member.remove', { member_user_uuid: userId });
          } else missing.push(userId);
        }
        if (removed > 0) keysSignal.raise(tx);
        return { removed, missing };
      }),
  };
}
