import { type AdminServer, addOrganization, startAdminServer } from '../../src/admin/admin-for-tests.ts';
import {
  CONSOLE_ADMINISTER,
  CONSOLE_USE,
  csrfTokenOf,
  organizationRoles,
  sessionCookie,
  type WorkspaceRole,
  workspaceRoles,
} from '../../src/tenants/index.ts';
import { permissionsOf } from '../../src/tenants/permissions.ts';
import { sqliteForTests } from '../support/databases.ts';

/** Somebody who asks: what their key should be able to do, and on which surface. */
export type Asker = {
  name: string;
  key: string;
  surface: 'standard' | 'admin' | 'session' | 'none';
  may: ReadonlySet<string>;
  /** What a browser sends instead of a key. */
  headers?: Record<string, string>;
};

export type Cast = { server: AdminServer; askers: Asker[] };

const NOTHING: ReadonlySet<string> = new Set();
const COOKIE = { isSecure: false, maxAgeSeconds: 60 };

/**
 * A key of each kind: of a member without a role, of each role by itself and by a group, of each role in the
 * organization, of admins here and elsewhere, and of those whom every surface turns away.
 */
export async function castEverybody(): Promise<Cast> {
  const server = await startAdminServer(sqliteForTests());
  const { tenants, database, keysSignal } = server.platform;
  const by = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
  const askers: Asker[] = [];

  async function member(name: string, roles: readonly (typeof organizationRoles)[number][]): Promise<string> {
    const email = `${name.replaceAll(/\W+/g, '-')}@matrix.test`;
    const { ids } = await tenants.members.create(by, [{ email, first_name: 'M', last_name: 'X', roles }]);
    return ids.get(email) ?? '';
  }
  /** Past the rule that a key needs a role: how a key without one is answered is part of the matrix. */
  async function keyOf(userId: string): Promise<string> {
    const organization = await tenants.chooseOrganization(server.organizationId);
    const input = { organization, workspace: { id: server.workspaceId }, user: { id: userId }, name: null };
    return (await database.transaction((tx) => tenants.keys.insertStandard(tx, input))).value;
  }
  async function add(name: string, userId: string, may: ReadonlySet<string>): Promise<void> {
    askers.push({ name, key: await keyOf(userId), surface: 'standard', may });
  }

  /** Signed in to the console: the same as by a key, and the administrative API for an admin of the organization. */
  async function signIn(name: string, userId: string, may: ReadonlySet<string>, isAdmin = false): Promise<void> {
    const client = { address: '127.0.0.1', userAgent: 'matrix' };
    const { token } = await database.transaction((tx) => tenants.sessions.open(tx, { id: userId, email: '' }, client));
    const headers = { cookie: sessionCookie(token, COOKIE).split(';')[0] ?? '', 'x-csrf-token': csrfTokenOf(token) };
    const all = new Set([...may, CONSOLE_USE, ...(isAdmin ? ['admin', CONSOLE_ADMINISTER] : [])]);
    askers.push({ name: `${name}, signed in`, key: '', surface: 'session', may: all, headers });
  }

  for (const role of organizationRoles) {
    const id = await member(role, [role]);
    const isAdmin = role === 'organization_admin';
    await add(`${role} without a workspace role`, id, permissionsOf([], [role]));
    await signIn(`${role} without a workspace role`, id, permissionsOf([], [role]), isAdmin);
  }
  for (const role of workspaceRoles) {
    const id = await member(`own ${role}`, ['member']);
    await tenants.workspaces.addMembers(by, server.workspaceId, [{ user_id: id, roles: [role] }], 'keep');
    await add(role, id, permissionsOf([role], ['member']));
    await signIn(role, id, permissionsOf([role], ['member']));
    await add(`${role} by a group`, await memberByGroup(role), permissionsOf([role], ['member']));
  }

  async function memberByGroup(role: WorkspaceRole): Promise<string> {
    const id = await member(`group ${role}`, ['member']);
    const input = { description: null, target_type: null };
    const outer = await tenants.groups.create(by, { ...input, name: role, parentIds: [] });
    const inner = await tenants.groups.create(by, { ...input, name: `in ${role}`, parentIds: [outer.id] });
    await tenants.groups.assign(by, outer.id, server.workspaceId, [role]);
    await tenants.groups.addMembers(by, inner.id, [id]);
    return id;
  }

  const gone = await member('gone', ['organization_admin']);
  const goneKey = await keyOf(gone);
  await signIn('somebody who left', gone, NOTHING);
  const goneSession = askers.pop();
  await tenants.members.remove(by, gone);
  const archived = await tenants.workspaces.create(by, {
    name: 'Archived',
    description: '',
    icon: '',
    adminId: server.ownerId,
    addsEverybody: false,
  });
  const archivedKey = await tenants.keys.createStandard(by, {
    workspaceId: archived.id,
    userId: server.ownerId,
    name: null,
    expiresAt: null,
  });
  await tenants.workspaces.archive(by, archived.id);
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
  askers.push(
    {
      name: 'an admin of another organization',
      key: elsewhere.key,
      surface: 'standard',
      may: permissionsOf([], ['organization_admin']),
    },
    { name: 'an admin key', key: server.adminKey, surface: 'admin', may: new Set(['admin']) },
    { name: "another organization's admin key", key: elsewhere.adminKey, surface: 'admin', may: new Set(['admin']) },
    ...(goneSession ? [{ ...goneSession, surface: 'none' as const, may: NOTHING }] : []),
    { name: 'somebody who left', key: goneKey, surface: 'none', may: NOTHING },
    { name: 'a key of an archived workspace', key: archivedKey.value, surface: 'none', may: NOTHING },
    { name: 'an expired admin key', key: expired.value, surface: 'none', may: NOTHING },
    { name: 'a stranger', key: 'tmk_nobody', surface: 'none', may: NOTHING },
    { name: 'nobody', key: '', surface: 'none', may: NOTHING },
  );
  return { server, askers };
}
