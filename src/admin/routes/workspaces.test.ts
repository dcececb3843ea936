import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../../test/support/databases.ts';
import { type AdminServer, addMember, addOrganization, startAdminServer } from '../admin-for-tests.ts';
import { ORGANIZATION_ROLE_IDS, WORKSPACE_ROLE_IDS } from '../schema/roles.ts';

type Workspace = { uuid: string; name: string; members_count: number };
type Workspaces = { items: Workspace[]; total: number };

onEachDatabase('the workspaces of an organization', (database) => {
  let server: AdminServer;
  let other: Awaited<ReturnType<typeof addOrganization>>;
  beforeAll(async () => {
    server = await startAdminServer(database);
    other = await addOrganization(server, 'Elsewhere');
  });

  const create = async (name: string, more: Record<string, unknown> = {}) =>
    (await server.admin<Workspace>('POST', '/workspaces', { name, admin_user_id: server.ownerId, ...more })).body;
  const keyFor = async (workspace: string, user = server.ownerId) =>
    (await server.admin<{ key: string }>('POST', '/api-keys', { workspace_uuid: workspace, user_id: user })).body.key;
  const listed = async (query = '') => (await server.admin<Workspaces>('GET', `/workspaces${query}`)).body;

  describe('200', () => {
    it('creates a workspace with its admin and lists it, and no other organization sees it', async () => {
      const before = (await listed()).total;
      const { status, body } = await server.admin('POST', '/workspaces', {
        name: ' Research ',
        description: 'Trying things',
        icon: 'R',
        admin_user_id: server.ownerId,
      });
      expect(status).toBe(200);
      expect(body).toEqual({
        uuid: expect.any(String),
        name: 'Research',
        description: 'Trying things',
        icon: 'R',
        members_count: 1,
        spend_limit: { value: null, currency: 'EUR', no_monthly_limit: true },
        is_default: false,
        raw_roles: [WORKSPACE_ROLE_IDS.workspace_admin],
        raw_role: WORKSPACE_ROLE_IDS.workspace_admin,
      });
      expect((await listed()).total).toBe(before + 1);
      expect((await listed()).items.map(({ uuid }) => uuid)).toContain(body.uuid);
      const theirs = await server.admin<Workspaces>('GET', '/workspaces', undefined, other.adminKey);
      expect(theirs.body).toMatchObject({ total: 1, object: 'list', items: [{ uuid: other.workspaceId }] });
    });

    it('adds all members when asked', async () => {
      await addMember(server, 'one@all.test');
      await addMember(server, 'two@all.test', { role_names: ['member', 'billing_manager'] });
      const everybody = (await server.admin<{ total: number; invites: [] }>('GET', '/users')).body;
      const workspace = await create('All', { add_all_org_members: true });
      expect(workspace.members_count).toBe(everybody.total - everybody.invites.length);
    });

    it('pages and searches', async () => {
      for (const name of ['Search 100%', 'Search_one', 'Found']) await create(name);
      const { total } = await listed();
      const pages = [];
      for (let page = 1; page <= Math.ceil(total / 2); page++)
        pages.push(...(await listed(`?page=${page}&page_size=2`)).items);
      expect(new Set(pages.map(({ uuid }) => uuid)).size).toBe(total);
      expect(await listed('?search=SEARCH')).toMatchObject({ total: 3 });
      expect((await listed(`?search=${encodeURIComponent('0%')}`)).items.map(({ name }) => name)).toEqual([
        'Search 100%',
      ]);
      expect(await listed('?search=h_o')).toMatchObject({ total: 1 });
    });

    it('updates what is named and keeps the rest', async () => {
      const { uuid } = await create('Old', { description: 'stays' });
      const { body } = await server.admin('PATCH', `/workspaces/${uuid}`, { name: 'New', icon: null });
      expect(body).toMatchObject({ uuid, name: 'New', description: 'stays', icon: '' });
    });

    it('adds members, changes their roles and removes them', async () => {
      const { uuid } = await create('People');
      const [ann, bo] = [await addMember(server, 'ann@people.test'), await addMember(server, 'bo@people.test')];
      const members = [
        { user_uuid: ann, role_names: ['user', 'billing'] },
        { user_uuid: bo, role: 'A' },
      ];
      const added = await server.admin('POST', `/workspaces/${uuid}/add-users`, { members });
      expect(added.body).toEqual({ added_members_count: 2 });
      const again = await server.admin('POST', `/workspaces/${uuid}/add-users`, { members: [{ user_uuid: ann }] });
      expect(again.body).toEqual({ added_members_count: 0 });
      const rolesOf = async (id: string) => {
        const { body } = await server.admin<{ workspaces: { uuid: string; raw_roles: string[] }[] }>(
          'GET',
          `/users/${id}`,
        );
        return body.workspaces.find((workspace) => workspace.uuid === uuid)?.raw_roles;
      };
      expect(await rolesOf(ann)).toEqual([WORKSPACE_ROLE_IDS.billing, WORKSPACE_ROLE_IDS.user]);
      expect(await rolesOf(bo)).toEqual([WORKSPACE_ROLE_IDS.workspace_admin]);
      const cy = await addMember(server, 'cy@people.test');
      const updated = await server.admin('PATCH', `/workspaces/${uuid}/users`, {
        members: [{ user_uuid: ann, roles: [WORKSPACE_ROLE_IDS.dev] }, { user_uuid: cy }],
      });
      expect(updated.body).toEqual({ added_members_count: 1, updated_members_count: 1 });
      expect(await rolesOf(ann)).toEqual([WORKSPACE_ROLE_IDS.dev]);
      expect(await rolesOf(cy)).toEqual([WORKSPACE_ROLE_IDS.workspace_contributor]);
      const count = async () => (await listed('?search=People')).items[0]?.members_count;
      expect(await count()).toBe(4);
      const removed = await server.admin('DELETE', `/workspaces/${uuid}/remove-users`, {
        members: [{ user_uuid: ann }, { user_uuid: other.ownerId }],
      });
      expect(removed.body).toEqual({ deleted_members_count: 1, not_deleted_members: [other.ownerId] });
      expect([await rolesOf(ann), await count()]).toEqual([undefined, 3]);
      expect((await server.admin('POST', `/workspaces/${uuid}/add-users`, {})).body).toEqual({
        added_members_count: 0,
      });
    });

    it('applies a change of roles to the next request of a key', async () => {
      const { uuid } = await create('Roles');
      const user_uuid = await addMember(server, 'roles@people.test');
      const set = (role_names: string[]) =>
        server.admin('PATCH', `/workspaces/${uuid}/users`, { members: [{ user_uuid, role_names }] });
      await set(['user']);
      const key = await keyFor(uuid, user_uuid);
      const statusOf = async () => (await call(server, '/v2/prompts', { key })).status;
      expect(await statusOf()).toBe(200);
      await set(['billing']);
      expect(await statusOf()).toBe(403);
      await set(['dev']);
      expect(await statusOf()).toBe(200);
      await server.admin('DELETE', `/workspaces/${uuid}/remove-users`, { members: [{ user_uuid }] });
      expect(await statusOf()).toBe(403);
    });
  });

  describe('204', () => {
    it('archives a workspace: its keys stop at once, it is listed as archived, and a second time changes nothing [ADMIN-ARCHIVE]', async () => {
      const { uuid } = await create('Gone');
      const key = await keyFor(uuid);
      expect((await call(server, '/v1/users/me', { key })).status).toBe(200);
      const before = await listed();
      const archived = await server.admin('DELETE', `/workspaces/${uuid}`);
      expect([archived.status, archived.text]).toEqual([204, '']);
      expect((await call(server, '/v1/users/me', { key })).status).toBe(401);
      expect((await server.admin('DELETE', `/workspaces/${uuid}`)).status).toBe(204);
      expect((await listed()).total).toBe(before.total - 1);
      expect(await listed('?is_archived=true')).toMatchObject({ total: 1, items: [{ uuid, name: 'Gone' }] });
    });
  });

  describe.runIf(isSqliteOrFull(database))('404', () => {
    it("answers for another organization's workspace and users exactly as for missing ones", async () => {
      const missing = '00000000-0000-4000-8000-000000000000';
      const calls: [string, string, unknown?][] = [
        ['PATCH', '', { name: 'Mine' }],
        ['DELETE', ''],
        ['POST', '/add-users', { members: [{ user_uuid: server.ownerId }] }],
        ['PATCH', '/users', { members: [] }],
        ['DELETE', '/remove-users', { members: [] }],
      ];
      for (const [method, path, body] of calls) {
        const theirs = await server.admin(method, `/workspaces/${other.workspaceId}${path}`, body);
        const none = await server.admin(method, `/workspaces/${missing}${path}`, body);
        expect([theirs.status, theirs.text.replace(other.workspaceId, missing)]).toEqual([404, none.text]);
      }
      for (const path of ['add-users', 'users']) {
        const method = path === 'users' ? 'PATCH' : 'POST';
        const members = [{ user_uuid: other.ownerId }];
        const answer = await server.admin(method, `/workspaces/${server.workspaceId}/${path}`, { members });
        expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('No user')]);
      }
      const foreign = { name: 'Theirs', admin_user_id: other.ownerId };
      expect((await server.admin('POST', '/workspaces', foreign)).status).toBe(404);
    });
  });

  describe('409', () => {
    it('refuses to archive the default workspace, and to change an archived one', async () => {
      expect(await server.admin('DELETE', `/workspaces/${server.workspaceId}`)).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('default workspace') },
      });
      const { uuid } = await create('Done');
      await server.admin('DELETE', `/workspaces/${uuid}`);
      expect((await server.admin('PATCH', `/workspaces/${uuid}`, { name: 'Again' })).status).toBe(409);
      const key = { workspace_uuid: uuid, user_id: server.ownerId };
      expect((await server.admin('POST', '/api-keys', key)).status).toBe(409);
    });
  });

  describe.runIf(isSqliteOrFull(database))('422 and 400', () => {
    it.each([
      ['POST', '/workspaces', { name: 'x' }, 422],
      ['POST', '/workspaces', { name: 'x', admin_user_id: 'y' }, 422],
      ['POST', '/workspaces', { name: 'x'.repeat(256), admin_user_id: ORGANIZATION_ROLE_IDS.member }, 422],
      ['GET', '/workspaces?is_archived=perhaps', undefined, 422],
      ['GET', '/workspaces?page_size=1001', undefined, 422],
    ])('%s %s %j is %s %s', async (method, path, body, status) => {
      expect((await server.admin(method, path, body)).status).toBe(status);
    });

    it('refuses unknown properties, and a name that is none', async () => {
      const path = `/workspaces/${server.workspaceId}`;
      const extra = { loc: ['body', 'x'], type: 'extra_forbidden' };
      for (const [method, where, body] of [
        ['POST', '/workspaces', { name: 'n', admin_user_id: server.ownerId, x: 1 }],
        ['PATCH', path, { x: 1 }],
        ['POST', `${path}/add-users`, { x: 1 }],
        ['PATCH', `${path}/users`, { x: 1 }],
        ['DELETE', `${path}/remove-users`, { members: [], x: 1 }],
      ] as const)
        expect(await server.admin(method, where, body)).toMatchObject({ status: 422, body: { detail: [extra] } });
      expect((await server.admin('POST', '/workspaces', { name: ' ', admin_user_id: server.ownerId })).status).toBe(
        400,
      );
    });
  });
});
