import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../../test/support/databases.ts';
import { withinASecond } from '../../../test/support/within-a-second.ts';
import { type AdminServer, addMember, addOrganization, startAdminServer } from '../admin-for-tests.ts';
import { WORKSPACE_ROLE_IDS } from '../schema/roles.ts';
import { NO_ROLE_ID } from '../schema/service-accounts.ts';

type Account = { id: string; name: string; description: string | null; deleted_at: string | null };
type Key = { key_id: string; key: string };

onEachDatabase('/v1/service-accounts', (database) => {
  let server: AdminServer;
  let other: Awaited<ReturnType<typeof addOrganization>>;
  let secondWorkspace: string;
  beforeAll(async () => {
    server = await startAdminServer(database);
    other = await addOrganization(server, 'Elsewhere');
    const { body } = await server.admin<{ uuid: string }>('POST', '/workspaces', {
      name: 'Second',
      admin_user_id: server.ownerId,
    });
    secondWorkspace = body.uuid;
  });

  async function create(more: Record<string, unknown> = {}, key = server.key) {
    const body = { name: 'deploy bot', workspace_id: server.workspaceId, ...more };
    const answer = await call(server, '/v1/service-accounts', { key, body });
    return { ...answer, body: answer.body as Account };
  }
  const path = (id: string, rest = '') => `/v1/service-accounts/${id}${rest}`;
  const keyFor = (id: string, workspace_uuid = server.workspaceId) =>
    server.admin<Key>('POST', '/api-keys', { workspace_uuid, user_id: id, name: 'of a program' });
  /** The key of a new member with this role in the first workspace. */
  async function keyWithRole(email: string, role: string): Promise<string> {
    const user_id = await addMember(server, email);
    const members = [{ user_uuid: user_id, role_names: [role] }];
    await server.admin('POST', `/workspaces/${server.workspaceId}/add-users`, { members });
    return (await keyFor(user_id)).body.key;
  }

  describe('200', () => {
    it('is created, described, found and listed by the official SDK', async () => {
      const client = new Mistral({ serverURL: server.url, apiKey: server.key });
      const accounts = client.beta.serviceAccounts;
      const made = await accounts.create({ name: 'sdk bot', workspaceId: server.workspaceId, description: 'first' });
      expect(made).toMatchObject({ name: 'sdk bot', workspaceId: server.workspaceId, deletedAt: null });
      expect(made.organizationId).toBe(server.organizationId);
      const serviceAccountId = made.id;
      const updated = await accounts.update({
        serviceAccountId,
        updateServiceAccountRequest: { description: 'deploys' },
      });
      expect(updated).toMatchObject({ description: 'deploys' });
      expect(await accounts.get({ serviceAccountId })).toEqual(updated);
      expect(await accounts.listRoles({ serviceAccountId })).toEqual({ items: [{ roleId: NO_ROLE_ID }] });
      const { items } = await accounts.listAssignableRoles({ workspaceId: server.workspaceId });
      expect(items.map(({ name }) => name)).toEqual(['member', ...Object.keys(WORKSPACE_ROLE_IDS)]);
      const roleIds = [WORKSPACE_ROLE_IDS.user, WORKSPACE_ROLE_IDS.dev];
      const set = await accounts.setRoles({ serviceAccountId, setServiceAccountRolesRequest: { roleIds } });
      expect(set).toEqual({ items: roleIds.map((roleId) => ({ roleId })) });
      const names: string[] = [];
      for await (const page of await accounts.list({ workspaceId: server.workspaceId, offset: 0, limit: 1 }))
        names.push(...page.result.items.map(({ name }) => name));
      expect(names).toContain('sdk bot');
      await accounts.delete({ serviceAccountId });
      await expect(accounts.get({ serviceAccountId })).rejects.toMatchObject({ statusCode: 404 });
    });

    it('owns keys that have its roles and no others, and change with them', async () => {
      const { body: account } = await create({ role_ids: [] });
      const { status, body: key } = await keyFor(account.id);
      expect(status).toBe(200);
      expect(await call(server, '/v1/whoami', { key: key.key })).toMatchObject({
        status: 200,
        body: { principal: { principal_type: 'service_account', service_account_id: account.id, name: 'deploy bot' } },
      });
      expect((await call(server, '/v1/models', { key: key.key })).status).toBe(403);
      const role_ids = [WORKSPACE_ROLE_IDS.user];
      await call(server, path(account.id, '/roles'), { method: 'PUT', body: { role_ids } });
      await withinASecond(async () => (await call(server, '/v1/models', { key: key.key })).status === 200);
      expect((await call(server, '/v1/service-accounts', { key: key.key })).status).toBe(403);
      const mine = (await call(server, '/v1/users/me/workspaces', { key: key.key })).body;
      expect(mine).toMatchObject({ workspaces: [{ id: server.workspaceId }] });
      expect((await call(server, '/v1/users/me', { key: key.key })).body).toMatchObject({
        id: account.id,
        email: null,
      });
      expect((await keyFor(account.id, secondWorkspace)).status).toBe(400);
    });

    it('is no member, and nobody signs in to it', async () => {
      const { body: account } = await create({ name: 'not a person' });
      const { body } = await server.admin<{ members: { uuid: string }[] }>('GET', '/users?page_size=1000');
      expect(body.members.map(({ uuid }) => uuid)).not.toContain(account.id);
      expect((await server.admin('GET', `/users/${account.id}`)).status).toBe(404);
      const given = { email: `service:${account.id}`, password: 'correct horse battery' };
      expect((await call(server, '/console/api/session', { key: '', body: given })).status).toBe(401);
    });

    it('ends with its keys within a second, and is listed only when deleted ones are asked for', async () => {
      const { body: account } = await create({ name: 'short lived', role_ids: [WORKSPACE_ROLE_IDS.user] });
      const { body: key } = await keyFor(account.id);
      expect((await call(server, '/v1/models', { key: key.key })).status).toBe(200);
      expect((await call(server, path(account.id), { method: 'DELETE' })).status).toBe(204);
      await withinASecond(async () => (await call(server, '/v1/models', { key: key.key })).status === 401);
      expect((await call(server, path(account.id), { method: 'DELETE' })).status).toBe(404);
      expect((await keyFor(account.id)).status).toBe(404);
      const list = async (query: string) =>
        ((await call(server, `/v1/service-accounts?q=short+lived${query}`)).body as { items: Account[] }).items;
      expect(await list('')).toEqual([]);
      expect(await list('&include_deleted=true')).toEqual([
        expect.objectContaining({ id: account.id, deleted_at: expect.any(String) }),
      ]);
    });

    it('is named in the audit log: by its administrators, and by what it does itself', async () => {
      const { body: account } = await create({ name: 'audited', role_ids: [WORKSPACE_ROLE_IDS.workspace_admin] });
      const { body: key } = await keyFor(account.id);
      await create({ name: 'made by the account' }, key.key);
      type Log = { event_type: string; actor: { metadata: object }; target: { type: string; metadata: object } };
      const { body } = await server.admin<{ logs: Log[] }>('GET', `/audit-logs?actor_user_uuid=${account.id}`);
      expect(JSON.stringify(body)).toContain('"service_account":"audited"');
      expect(JSON.stringify(body)).toContain('made by the account');
    });

    it('is found in one order or the other', async () => {
      const ids = async (order: string) =>
        ((await call(server, `/v1/service-accounts?order=${order}`)).body as { items: Account[] }).items.map(
          ({ id }) => id,
        );
      expect(await ids('desc')).toEqual((await ids('asc')).toReversed());
    });
  });

  describe('201', () => {
    it('is created once for one Idempotency-Key', async () => {
      const send = () =>
        call(server, '/v1/service-accounts', {
          headers: { 'idempotency-key': 'one account' },
          body: { name: 'once', workspace_id: server.workspaceId },
        });
      const [first, second] = [await send(), await send()];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body).toEqual(first.body);
    });
  });

  describe.runIf(isSqliteOrFull(database))('403 and 404', () => {
    it('is for admins of the workspace; all workspaces at once are for admins of the organization', async () => {
      const author = await keyWithRole('author@service.test', 'workspace_contributor');
      const admin = await keyWithRole('admin@service.test', 'workspace_admin');
      expect((await create({}, author)).status).toBe(403);
      expect((await create({}, admin)).status).toBe(201);
      expect((await call(server, '/v1/service-accounts', { key: admin })).status).toBe(403);
      expect((await create({ workspace_id: secondWorkspace }, admin)).status).toBe(404);
      const { body: elsewhere } = await create({ workspace_id: secondWorkspace });
      const own = `?workspace_id=${server.workspaceId}`;
      expect((await call(server, `/v1/service-accounts${own}`, { key: admin })).status).toBe(200);
      expect((await call(server, path(elsewhere.id), { key: admin })).status).toBe(404);
    });

    it("treats another organization's account and workspace as missing", async () => {
      const { body: account } = await create();
      const ask = (rest: string, options: object = {}) =>
        call(server, path(account.id, rest), { key: other.key, ...options });
      for (const answer of [
        await ask(''),
        await ask('', { method: 'PATCH', body: { description: 'x' } }),
        await ask('', { method: 'DELETE' }),
        await ask('/roles'),
        await ask('/roles', { method: 'PUT', body: { role_ids: [NO_ROLE_ID] } }),
        await call(server, `/v1/service-accounts?workspace_id=${server.workspaceId}`, { key: other.key }),
        await call(server, `/v1/service-accounts/assignable-roles?workspace_id=${server.workspaceId}`, {
          key: other.key,
        }),
        await create({}, other.key),
      ])
        expect(answer.status).toBe(404);
      expect((await call(server, path(account.id))).status).toBe(200);
    });

    it('refuses an archived workspace', async () => {
      const { body } = await server.admin<{ uuid: string }>('POST', '/workspaces', {
        name: 'Archived',
        admin_user_id: server.ownerId,
      });
      await server.admin('DELETE', `/workspaces/${body.uuid}`);
      expect((await create({ workspace_id: body.uuid })).status).toBe(409);
    });
  });

  describe.runIf(isSqliteOrFull(database))('422', () => {
    it.each([
      ['no name', { name: ' ' }],
      ['a long name', { name: 'x'.repeat(256) }],
      ['a role that there is not', { role_ids: ['00000000-0000-4000-8000-000000000000'] }],
      ['an unknown property', { email: 'x' }],
      ['a workspace that is no id', { workspace_id: 'x' }],
    ])('%s', async (_, more) => {
      expect((await create(more)).status).toBe(422);
    });

    it('roles are set to at least one', async () => {
      const { body: account } = await create();
      const set = await call(server, path(account.id, '/roles'), { method: 'PUT', body: { role_ids: [] } });
      expect(set.status).toBe(422);
    });
  });
});
