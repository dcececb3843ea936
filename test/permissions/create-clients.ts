import { type AdminServer, addOrganization, startAdminServer } from '../../src/admin/admin-for-tests.ts';
import {
  CONSOLE_ACCOUNT,
  CONSOLE_ADMINISTER,
  CONSOLE_JOIN,
  CONSOLE_OWNER,
  CONSOLE_USE,
  csrfTokenOf,
  organizationRoles,
  sessionCookie,
  type WorkspaceRole,
  workspaceRoles,
} from '../../src/tenants/index.ts';
import { permissionsOf } from '../../src/tenants/permissions.ts';
import { sqliteForTests } from '../support/databases.ts';
import { listedModel } from '../support/server.ts';

/** A key or a session, its surface, and the permissions it must have. */
export type TestClient = {
  name: string;
  key: string;
  surface: 'standard' | 'admin' | 'session' | 'none';
  permissions: ReadonlySet<string>;
  /** What a browser sends instead of a key. */
  headers?: Record<string, string>;
};

export type TestClients = { server: AdminServer; clients: TestClient[] };

const NO_PERMISSIONS: ReadonlySet<string> = new Set();
const COOKIE = { isSecure: false, maxAgeSeconds: 60 };

/**
 * A client of each kind: without a role, with each workspace role directly and by a group, with each organization role,
 * admins of this and of another organization, and clients that no surface accepts.
 */
export async function createClients(): Promise<TestClients> {
  const server = await startAdminServer(sqliteForTests(), { file: { models: [listedModel('m')] } });
  const { tenants, database, keysSignal } = server.platform;
  const caller = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
  const clients: TestClient[] = [];

  async function member(name: string, roles: readonly (typeof organizationRoles)[number][]): Promise<string> {
    const email = `${name.replaceAll(/\W+/g, '-')}@matrix.test`;
    const { ids } = await tenants.members.create(caller, [{ email, first_name: 'M', last_name: 'X', roles }]);
    return ids.get(email) ?? '';
  }
  /** Bypasses the rule that the user of a key needs a role: keys without one are part of the matrix. */
  async function keyOf(userId: string): Promise<string> {
    const organization = await tenants.chooseOrganization(server.organizationId);
    const input = { organization, workspace: { id: server.workspaceId }, user: { id: userId }, name: null };
    return (await database.transaction((tx) => tenants.keys.insertStandard(tx, input))).value;
  }
  async function add(name: string, userId: string, permissions: ReadonlySet<string>): Promise<void> {
    clients.push({ name, key: await keyOf(userId), surface: 'standard', permissions });
  }

  /** A session has the permissions of a key, and the administrative API for an admin of the organization. */
  async function signIn(
    name: string,
    userId: string,
    permissions: ReadonlySet<string>,
    isAdmin = false,
  ): Promise<void> {
    const client = { address: '127.0.0.1', userAgent: 'matrix' };
    const { token } = await database.transaction((tx) => tenants.sessions.open(tx, { id: userId, email: '' }, client));
    const headers = { cookie: sessionCookie(token, COOKIE).split(';')[0] ?? '', 'x-csrf-token': csrfTokenOf(token) };
    const all = new Set([
      ...permissions,
      CONSOLE_ACCOUNT,
      CONSOLE_OWNER,
      CONSOLE_USE,
      CONSOLE_JOIN,
      ...(isAdmin ? ['admin', CONSOLE_ADMINISTER] : []),
    ]);
    clients.push({ name: `${name}, signed in`, key: '', surface: 'session', permissions: all, headers });
  }

  for (const role of organizationRoles) {
    const id = await member(role, [role]);
    const isAdmin = role === 'organization_admin';
    await add(`${role} without a workspace role`, id, permissionsOf([], [role]));
    await signIn(`${role} without a workspace role`, id, permissionsOf([], [role]), isAdmin);
  }
  for (const role of workspaceRoles) {
    const id = await member(`own ${role}`, ['member']);
    await tenants.workspaces.addMembers(caller, server.workspaceId, [{ user_id: id, roles: [role] }], 'keep');
    await add(role, id, permissionsOf([role], ['member']));
    await signIn(role, id, permissionsOf([role], ['member']));
    await add(`${role} by a group`, await memberByGroup(role), permissionsOf([role], ['member']));
  }

  async function memberByGroup(role: WorkspaceRole): Promise<string> {
    const id = await member(`group ${role}`, ['member']);
    const input = { description: null, target_type: null };
    const outer = await tenants.groups.create(caller, { ...input, name: role, parentIds: [] });
    const inner = await tenants.groups.create(caller, { ...input, name: `in ${role}`, parentIds: [outer.id] });
    await tenants.groups.assign(caller, outer.id, server.workspaceId, [role]);
    await tenants.groups.addMembers(caller, inner.id, [id]);
    return id;
  }

  const removed = await member('removed', ['organization_admin']);
  const removedKey = await keyOf(removed);
  await signIn('a removed member', removed, NO_PERMISSIONS);
  const removedSession = clients.pop();
  await tenants.members.remove(caller, removed);
  const archived = await tenants.workspaces.create(caller, {
    name: 'Archived',
    description: '',
    icon: '',
    adminId: server.ownerId,
    addsEverybody: false,
  });
  const archivedKey = await tenants.keys.createStandard(caller, {
    workspaceId: archived.id,
    userId: server.ownerId,
    name: null,
    expiresAt: null,
  });
  await tenants.workspaces.archive(caller, archived.id);
  const expired = await tenants.keys.create({
    kind: 'admin',
    organization: server.organizationId,
    expiresAt: '2999-01-01T00:00:00Z',
  });
  await database.transaction(async (tx) => {
    await tx.updateTable('api_keys').set({ expires_at: '2020-01-01T00:00:00Z' }).where('id', '=', expired.id).execute();
    await keysSignal.raise(tx);
  });
  const elsewhere = await addOrganization(server, 'Elsewhere');
  clients.push(
    {
      name: 'an admin of another organization',
      key: elsewhere.key,
      surface: 'standard',
      permissions: permissionsOf([], ['organization_admin']),
    },
    { name: 'an admin key', key: server.adminKey, surface: 'admin', permissions: new Set(['admin']) },
    {
      name: "another organization's admin key",
      key: elsewhere.adminKey,
      surface: 'admin',
      permissions: new Set(['admin']),
    },
    ...(removedSession ? [{ ...removedSession, surface: 'none' as const, permissions: NO_PERMISSIONS }] : []),
    { name: 'a removed member', key: removedKey, surface: 'none', permissions: NO_PERMISSIONS },
    { name: 'a key of an archived workspace', key: archivedKey.value, surface: 'none', permissions: NO_PERMISSIONS },
    { name: 'an expired admin key', key: expired.value, surface: 'none', permissions: NO_PERMISSIONS },
    { name: 'an unknown key', key: 'tmk_nobody', surface: 'none', permissions: NO_PERMISSIONS },
    { name: 'no key', key: '', surface: 'none', permissions: NO_PERMISSIONS },
  );
  return { server, clients };
}
