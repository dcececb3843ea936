import { beforeAll, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../../test/support/databases.ts';
import { type AdminServer, addMember, addOrganization, startAdminServer } from '../admin-for-tests.ts';

type Key = { key_id: string; key: string; name: string | null; hidden_key: string };

onEachDatabase('the API keys of an organization', (database) => {
  let server: AdminServer;
  let other: Awaited<ReturnType<typeof addOrganization>>;
  beforeAll(async () => {
    server = await startAdminServer(database);
    other = await addOrganization(server, 'Elsewhere');
  });

  const create = (more: Record<string, unknown> = {}) =>
    server.admin<Key>('POST', '/api-keys', { workspace_uuid: server.workspaceId, user_id: server.ownerId, ...more });
  const list = async (query = '') => (await server.admin<{ keys: Key[] }>('GET', `/api-keys${query}`)).body.keys;

  it('are made with a value that is shown this once and works at once', async () => {
    const { status, body } = await create({ name: 'ci', expiration: '2999-12-31' });
    expect([status, body]).toEqual([
      200,
      {
        key_id: expect.any(String),
        key: expect.stringMatching(/^tmk_/),
        name: 'ci',
        hidden_key: `…${body.key.slice(-4)}`,
        created_at: expect.any(String),
        expiration_date: '2999-12-31',
        actions: { rotate: { status: 'unavailable', reason: 'not_allowed' }, delete: { status: 'available' } },
      },
    ]);
    expect((await call(server, '/v1/users/me', { key: body.key })).body).toMatchObject({ id: server.ownerId });
    expect((await list()).find(({ key_id }) => key_id === body.key_id)).toMatchObject({
      key: null,
      workspace_id: server.workspaceId,
      workspace_name: 'Default',
      created_by: 'owner@localhost',
      product: 'API',
      can_delete: true,
    });
  });

  it('are not stored for idempotency either: a repeated request gets the key without its value [ADMIN-API-KEYS]', async () => {
    const send = () =>
      call(server, '/v1/admin/api-keys', {
        key: server.adminKey,
        headers: { 'idempotency-key': 'once' },
        body: { workspace_uuid: server.workspaceId, user_id: server.ownerId, name: 'repeated' },
      });
    const [first, second] = [await send(), await send()] as unknown as { body: Key }[];
    expect(first?.body.key).toMatch(/^tmk_/);
    expect(second?.body).toEqual({ ...first?.body, key: null });
    expect(await list('?name=repeated')).toHaveLength(1);
    const kept = await server.platform.database.db.selectFrom('idempotency_keys').selectAll().execute();
    expect(JSON.stringify(kept)).not.toContain(first?.body.key);
  });

  it('are listed in pages and found by a part of the name or the last four characters', async () => {
    const { body } = await create({ name: 'Deploy 50%' });
    expect((await list('?name=deploy')).map(({ key_id }) => key_id)).toEqual([body.key_id]);
    expect((await list(`?name=${body.key.slice(-4)}`)).map(({ key_id }) => key_id)).toContain(body.key_id);
    expect(await list(`?name=${encodeURIComponent('0%')}`)).toHaveLength(1);
    const all = await list();
    expect([...(await list('?limit=2')), ...(await list('?limit=1000&offset=2'))]).toEqual(all);
    const theirs = await server.admin<{ keys: Key[] }>('GET', '/api-keys', undefined, other.adminKey);
    expect(theirs.body.keys.map(({ key_id }) => key_id)).toEqual([other.keyId]);
  });

  it('are revoked at once, and once', async () => {
    const { body } = await create();
    const path = `/api-keys/${body.key_id}`;
    expect((await server.admin('DELETE', path)).body.detail).toContain(body.hidden_key);
    expect((await call(server, '/v1/users/me', { key: body.key })).status).toBe(401);
    expect((await server.admin('DELETE', path)).status).toBe(404);
    expect((await list()).map(({ key_id }) => key_id)).not.toContain(body.key_id);
  });

  it.runIf(isSqliteOrFull(database))(
    'of another organization, and admin keys, answer exactly as missing ones',
    async () => {
      const missing = '00000000-0000-4000-8000-000000000000';
      const none = await server.admin('DELETE', `/api-keys/${missing}`);
      const adminKeys = (await server.platform.tenants.keys.list(server.organizationId)).filter(
        ({ kind }) => kind === 'admin',
      );
      for (const id of [other.keyId, adminKeys[0]!.id]) {
        const answer = await server.admin('DELETE', `/api-keys/${id}`);
        expect([answer.status, answer.text.replace(id, missing)]).toEqual([404, none.text]);
      }
      expect((await call(server, '/v1/users/me', { key: other.key })).status).toBe(200);
    },
  );

  it.runIf(isSqliteOrFull(database))(
    'are refused for users and workspaces of other organizations, and for users without a role',
    async () => {
      expect((await create({ workspace_uuid: other.workspaceId })).status).toBe(404);
      expect((await create({ user_id: other.ownerId })).status).toBe(404);
      expect((await create({ expiration: '2020-01-01' })).status).toBe(400);
      const user_id = await addMember(server, 'nowhere@example.test');
      expect((await create({ user_id })).status).toBe(400);
    },
  );

  it.each([
    [{ expiration: 'soon' }, 'expiration'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ x: 1 }, 'x'],
    [{ user_id: 'x' }, 'user_id'],
  ])('are refused with %j', async (more, field) => {
    expect(await create(more)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } });
  });

  it.runIf(isSqliteOrFull(database)).each(['limit=0', 'limit=1001', 'offset=-1', 'x=1'])(
    'are not listed by %s',
    async (query) => {
      expect((await server.admin('GET', `/api-keys?${query}`)).status).toBe(422);
    },
  );
});
