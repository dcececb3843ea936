import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../../test/support/databases.ts';
import { type AdminServer, addMember, addOrganization, startAdminServer } from '../admin-for-tests.ts';
import { ORGANIZATION_ROLE_IDS, WORKSPACE_ROLE_IDS } from '../schema/roles.ts';

type Group = { uuid: string; name: string; parent_group_ids: string[] };

onEachDatabase('user groups', (database) => {
  let server: AdminServer;
  let other: Awaited<ReturnType<typeof addOrganization>>;
  let theirGroup: string;
  beforeAll(async () => {
    server = await startAdminServer(database);
    other = await addOrganization(server, 'Elsewhere');
    const made = await server.admin<Group>('POST', '/user-groups', { name: 'Theirs' }, other.adminKey);
    theirGroup = made.body.uuid;
  });

  const create = async (name: string, parent_group_ids: string[] = []) =>
    (await server.admin<Group>('POST', '/user-groups', { name, parent_group_ids })).body.uuid;
  const statusOf = async (key: string, path = '/v2/prompts') => (await call(server, path, { key })).status;
  /** A member of the organization with a key in the workspace and no role except those of the group. */
  async function insider(email: string, group: string): Promise<{ id: string; key: string }> {
    const id = await addMember(server, email);
    await server.admin('POST', `/user-groups/${group}/members`, { user_uuids: [id] });
    const key = { workspace_uuid: server.workspaceId, user_id: id };
    return { id, key: (await server.admin<{ key: string }>('POST', '/api-keys', key)).body.key };
  }

  describe('a group', () => {
    it('is made, read, listed, changed and deleted', async () => {
      const { status, body } = await server.admin<Group>('POST', '/user-groups', {
        name: 'Writers',
        description: 'They write',
        target_type: 'W',
      });
      expect([status, body]).toEqual([
        200,
        {
          uuid: expect.any(String),
          name: 'Writers',
          description: 'They write',
          externally_managed: false,
          target_type: 'W',
          organization_role: null,
          parent_group_ids: [],
        },
      ]);
      expect((await server.admin('GET', `/user-groups/${body.uuid}`)).body).toEqual(body);
      const parent = await create('All writers');
      const changed = await server.admin('PATCH', `/user-groups/${body.uuid}`, {
        name: 'Authors',
        parent_group_ids: [parent],
      });
      expect(changed.body).toEqual({ ...body, name: 'Authors', parent_group_ids: [parent] });
      const list = await server.admin<{ total: number; items: Group[] }>('GET', '/user-groups?search=WRITERS');
      expect(list.body).toMatchObject({ total: 1, items: [{ uuid: parent }], page: 1, page_size: 25 });
      expect((await server.admin('DELETE', `/user-groups/${body.uuid}`)).status).toBe(204);
      expect((await server.admin('GET', `/user-groups/${body.uuid}`)).status).toBe(404);
      expect((await server.admin<{ children: [] }>('GET', `/user-groups/${parent}/nested`)).body.children).toEqual([]);
    });

    it('has members, in pages, and none of another organization', async () => {
      const group = await create('Many');
      const ids = [];
      for (const n of [1, 2, 3]) ids.push(await addMember(server, `many${n}@groups.test`));
      const path = `/user-groups/${group}/members`;
      expect((await server.admin('POST', path, { user_uuids: [...ids, ids[0]] })).status).toBe(204);
      const page = await server.admin('GET', `${path}?page=2&page_size=2`);
      expect(page.body).toEqual({
        total: 3,
        members: [{ user_uuid: ids[2], name: 'Ann Lee', email: 'many3@groups.test' }],
        page: 2,
        page_size: 2,
      });
      expect((await server.admin('DELETE', path, { user_uuids: [ids[1], other.ownerId] })).status).toBe(204);
      expect((await server.admin('GET', path)).body).toMatchObject({ total: 2 });
      expect((await server.admin('POST', path, { user_uuids: [other.ownerId] })).status).toBe(404);
    });
  });

  describe('roles by a group', () => {
    it('give its members what the matrix gives the role, until they are taken away', async () => {
      const group = await create('Devs');
      const path = `/user-groups/${group}/workspaces`;
      const body = { workspace_uuid: server.workspaceId, role_names: ['dev', 'billing'] };
      expect((await server.admin('POST', path, body)).status).toBe(201);
      const { key } = await insider('dev@groups.test', group);
      expect(await statusOf(key)).toBe(200);
      expect((await server.admin('GET', path)).body).toMatchObject({
        total: 1,
        items: [
          {
            workspace_uuid: server.workspaceId,
            workspace_name: 'Default',
            role_name: 'billing',
            role_uuid: WORKSPACE_ROLE_IDS.billing,
            roles: [{ name: 'billing' }, { name: 'dev', uuid: WORKSPACE_ROLE_IDS.dev }],
          },
        ],
      });
      const at = `${path}/${server.workspaceId}`;
      expect((await server.admin('PATCH', at, { roles: [WORKSPACE_ROLE_IDS.billing] })).status).toBe(204);
      expect(await statusOf(key)).toBe(403);
      expect((await server.admin('PATCH', at, { role: 'A' })).status).toBe(204);
      expect(await statusOf(key)).toBe(200);
      const mine = (await call(server, '/v1/users/me/workspaces', { key })).body;
      expect(mine).toMatchObject({ workspaces: [{ id: server.workspaceId }] });
      expect((await server.admin('DELETE', at)).status).toBe(204);
      expect(await statusOf(key)).toBe(403);
      expect((await server.admin('DELETE', at)).status).toBe(404);
      expect((await server.admin('PATCH', at, { role: 'A' })).status).toBe(404);
      expect((await server.admin('PATCH', at, {})).status).toBe(400);
    });

    it('reach the members of nested groups, however deep, and end with the nesting [ADMIN-GROUPS]', async () => {
      const [outer, middle] = [await create('Outer'), await create('Middle')];
      const inner = await create('Inner', [middle]);
      const provision = { user_group_uuid: outer, workspace_uuid: server.workspaceId, workspace_role_name: 'dev' };
      expect((await server.admin('POST', '/user-groups/provision-workspace', provision)).status).toBe(204);
      const nested = `/user-groups/${outer}/nested`;
      expect((await server.admin('PATCH', nested, { child_group_uuids: [middle] })).status).toBe(204);
      expect((await server.admin('GET', nested)).body).toEqual({ children: [{ uuid: middle, name: 'Middle' }] });
      const { key } = await insider('inner@groups.test', inner);
      expect(await statusOf(key)).toBe(200);
      await server.admin('PATCH', nested, { child_group_uuids: [] });
      expect(await statusOf(key)).toBe(403);
      await server.admin('PATCH', `/user-groups/${inner}`, { parent_group_ids: [outer] });
      expect(await statusOf(key)).toBe(200);
      await server.admin('DELETE', `/user-groups/${outer}`);
      expect(await statusOf(key)).toBe(403);
    });

    it('can make organization admins, who then administer every workspace', async () => {
      const group = await create('Heads');
      const path = `/user-groups/${group}/organization-role`;
      expect((await server.admin('PATCH', path, { organization_role: 'A' })).status).toBe(204);
      expect((await server.admin('GET', `/user-groups/${group}`)).body).toMatchObject({
        organization_role: ORGANIZATION_ROLE_IDS.organization_admin,
      });
      const { key } = await insider('head@groups.test', group);
      expect(await statusOf(key)).toBe(200);
      await server.admin('PATCH', path, { organization_role: ORGANIZATION_ROLE_IDS.member });
      expect(await statusOf(key)).toBe(403);
    });

    it('end when the member leaves the organization', async () => {
      const group = await create('Leavers');
      await server.admin('POST', `/user-groups/${group}/workspaces`, { workspace_uuid: server.workspaceId });
      const { id, key } = await insider('leaver@groups.test', group);
      expect(await statusOf(key)).toBe(200);
      await server.admin('DELETE', `/users/${id}`);
      expect(await statusOf(key)).toBe(401);
      expect((await server.admin('GET', `/user-groups/${group}/members`)).body).toMatchObject({
        total: 0,
        members: [],
      });
    });
  });

  describe('409', () => {
    it('refuses direct and indirect cycles, and changes nothing [ADMIN-GROUP-CIRCLE]', async () => {
      const a = await create('A');
      const b = await create('B', [a]);
      const c = await create('C', [b]);
      const circle = { status: 409, body: { detail: expect.stringContaining('circle') } };
      const nested = (group: string, child: string) =>
        server.admin('PATCH', `/user-groups/${group}/nested`, { child_group_uuids: [child] });
      expect(await nested(a, a)).toMatchObject(circle);
      expect(await nested(c, a)).toMatchObject(circle);
      expect(await server.admin('PATCH', `/user-groups/${a}`, { parent_group_ids: [c] })).toMatchObject(circle);
      expect(await server.admin('PATCH', `/user-groups/${a}`, { parent_group_ids: [a] })).toMatchObject(circle);
      expect((await server.admin<Group>('GET', `/user-groups/${a}`)).body.parent_group_ids).toEqual([]);
      expect(
        (await server.admin<{ children: { uuid: string }[] }>('GET', `/user-groups/${a}/nested`)).body.children,
      ).toEqual([{ uuid: b, name: 'B' }]);
    });

    it('refuses the second of two concurrent nestings that would close a cycle', async () => {
      const [a, b] = [await create('Left'), await create('Right')];
      const answers = await Promise.all([
        server.admin('PATCH', `/user-groups/${a}`, { parent_group_ids: [b] }),
        server.admin('PATCH', `/user-groups/${b}`, { parent_group_ids: [a] }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    });
  });

  describe.runIf(isSqliteOrFull(database))('404', () => {
    it("answers for another organization's group and workspace exactly as for missing ones", async () => {
      const missing = '00000000-0000-4000-8000-000000000000';
      const calls: [string, string, unknown?][] = [
        ['GET', ''],
        ['PATCH', '', { name: 'Mine' }],
        ['DELETE', ''],
        ['PATCH', '/organization-role', { organization_role: 'A' }],
        ['GET', '/members'],
        ['POST', '/members', { user_uuids: [] }],
        ['DELETE', '/members', { user_uuids: [] }],
        ['GET', '/workspaces'],
        ['POST', '/workspaces', { workspace_uuid: server.workspaceId }],
        ['PATCH', `/workspaces/${server.workspaceId}`, { role: 'M' }],
        ['DELETE', `/workspaces/${server.workspaceId}`],
        ['GET', '/nested'],
        ['PATCH', '/nested', { child_group_uuids: [] }],
      ];
      for (const [method, path, body] of calls) {
        const theirs = await server.admin(method, `/user-groups/${theirGroup}${path}`, body);
        const none = await server.admin(method, `/user-groups/${missing}${path}`, body);
        expect([method, path, theirs.status, theirs.text.replace(theirGroup, missing)]).toEqual([
          method,
          path,
          404,
          none.text,
        ]);
      }
      const group = await create('Ours');
      const foreign = { workspace_uuid: other.workspaceId };
      expect((await server.admin('POST', `/user-groups/${group}/workspaces`, foreign)).status).toBe(404);
      expect((await server.admin('POST', '/user-groups', { name: 'x', parent_group_ids: [theirGroup] })).status).toBe(
        404,
      );
      const nested = { child_group_uuids: [theirGroup] };
      expect((await server.admin('PATCH', `/user-groups/${group}/nested`, nested)).status).toBe(404);
    });
  });

  describe.runIf(isSqliteOrFull(database))('422 and 400', () => {
    it('refuses unknown properties, wrong roles and a name that is none', async () => {
      const group = await create('Strict');
      const path = `/user-groups/${group}`;
      for (const [method, where, body] of [
        ['POST', '/user-groups', { name: 'n', x: 1 }],
        ['POST', '/user-groups/provision-workspace', { user_group_uuid: group, workspace_uuid: group, x: 1 }],
        ['PATCH', path, { x: 1 }],
        ['POST', `${path}/members`, { user_uuids: [], x: 1 }],
        ['DELETE', `${path}/members`, { user_uuids: [], x: 1 }],
        ['POST', `${path}/workspaces`, { workspace_uuid: group, x: 1 }],
        ['PATCH', `${path}/workspaces/${group}`, { x: 1 }],
        ['PATCH', `${path}/organization-role`, { organization_role: 'M', x: 1 }],
        ['PATCH', `${path}/nested`, { child_group_uuids: [], x: 1 }],
      ] as const) {
        const answer = await server.admin(method, where, body);
        expect([where, answer.status, answer.text]).toEqual([where, 422, expect.stringContaining('extra_forbidden')]);
      }
      expect((await server.admin('PATCH', `${path}/organization-role`, { organization_role: 'X' })).status).toBe(422);
      expect((await server.admin('GET', '/user-groups?page_size=101')).status).toBe(422);
      expect((await server.admin('POST', '/user-groups', { name: ' ' })).status).toBe(400);
    });
  });
});
