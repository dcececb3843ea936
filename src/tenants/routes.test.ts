import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { noteRoutes } from '../../test/fixtures/notes.ts';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';

onSqliteFirst('/v1/users/me', (database) => {
  let server: TestServer;
  let stranger: string;
  beforeAll(async () => {
    server = await startTestServer(database, { extraRoutes: noteRoutes });
    stranger = await keyOfAnotherOrganization(server);
  });

  describe('200', () => {
    it('returns the identity of the key [AUTH-BEARER]', async () => {
      const { body } = await call(server, '/v1/users/me');
      expect(body).toMatchObject({
        email: 'owner@localhost',
        first_name: null,
        workspace: { name: 'Default' },
        organization: { name: 'Default' },
        api_key: { name: 'First key' },
      });
    });

    it('is read by the official SDK, which sends the key as x-api-key', async () => {
      const client = new Mistral({ serverURL: server.url });
      const security = { dashboardUserContextAuth: server.key };
      const me = await client.beta.users.getIdentity(security);
      const { organizations } = (await client.beta.users.listOrganizations(security)).result;
      const { workspaces } = (await client.beta.users.listWorkspaces(security)).result;
      expect(me.email).toBe('owner@localhost');
      expect(organizations).toEqual([me.organization]);
      expect(workspaces).toEqual([{ ...me.workspace, organizationId: me.organization?.id }]);
    });

    it('lists only what the user belongs to, in pages [TENANTS-OTHER-WORKSPACE]', async () => {
      const mine = (await call(server, '/v1/users/me/workspaces')).body as {
        workspaces: { id: string; organization_id: string }[];
      };
      const theirs = (await call(server, '/v1/users/me/workspaces', { key: stranger })).body as typeof mine;
      expect(mine.workspaces).toHaveLength(1);
      expect(theirs.workspaces).toHaveLength(1);
      expect(theirs.workspaces[0]?.id).not.toBe(mine.workspaces[0]?.id);
      expect(
        (await call(server, `/v1/users/me/workspaces?organization_id=${theirs.workspaces[0]?.organization_id}`)).body,
      ).toEqual({ workspaces: [] });
      expect((await call(server, '/v1/users/me/workspaces?offset=1')).body).toEqual({ workspaces: [] });
      expect((await call(server, '/v1/users/me/organizations?limit=1&offset=0')).body).toMatchObject({
        organizations: [{ name: 'Default' }],
      });
    });
  });

  describe('401', () => {
    it('refuses every wrong key with the same body and does nothing', async () => {
      for (const key of ['', 'x', 'tmk_wrong', server.key.slice(0, -1), `${server.key}x`, server.key.toLowerCase()]) {
        for (const path of ['/v1/users/me', '/v1/users/me/organizations', '/v1/users/me/workspaces']) {
          const answer = await call(server, path, { key });
          expect([answer.status, answer.text]).toEqual([401, '{"detail":"Unauthorized"}']);
          expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        }
      }
    });
  });

  describe('403', () => {
    it('names the permission that is missing', async () => {
      await server.platform.database.transaction(async (tx) => {
        const user = await tx
          .selectFrom('users')
          .select('id')
          .where('email', '=', 'stranger@localhost')
          .executeTakeFirstOrThrow();
        await tx.updateTable('workspace_members').set({ role: 'billing' }).where('user_id', '=', user.id).execute();
        await tx.updateTable('organization_members').set({ role: 'member' }).where('user_id', '=', user.id).execute();
        await server.platform.keysSignal.raise(tx);
      });
      const answer = await call(server, '/v1/chat/completions', {
        key: stranger,
        body: { model: 'small', messages: [] },
      });
      expect(answer).toMatchObject({
        status: 403,
        body: { object: 'error', type: 'permission_error', message: expect.stringContaining("'chat:write'") },
      });
    });
  });

  describe('404', () => {
    it("answers for another workspace's object exactly as for a missing one", async () => {
      const { body } = await call(server, '/v1/notes', { body: { text: 'mine' } });
      const { id } = body as { id: string };
      expect((await call(server, `/v1/notes/${id}`)).status).toBe(200);
      const theirs = await call(server, `/v1/notes/${id}`, { key: stranger });
      const missing = await call(server, '/v1/notes/nothing', { key: stranger });
      expect([theirs.status, theirs.text.replace(id, 'ID')]).toEqual([404, missing.text.replace('nothing', 'ID')]);
    });
  });

  describe('422', () => {
    it.each([
      ['limit=0', 'greater_than_equal'],
      ['limit=101', 'less_than_equal'],
      ['limit=ten', 'int_parsing'],
      ['offset=-1', 'greater_than_equal'],
      ['page=1', 'extra_forbidden'],
    ])('refuses ?%s', async (query, type) => {
      for (const list of ['organizations', 'workspaces']) {
        const answer = await call(server, `/v1/users/me/${list}?${query}`);
        expect(answer).toMatchObject({
          status: 422,
          body: { detail: [{ type, loc: ['query', query.split('=')[0]] }] },
        });
      }
    });

    it('refuses an organization_id that is no UUID', async () => {
      expect(await call(server, '/v1/users/me/workspaces?organization_id=x')).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'uuid_parsing' }] },
      });
    });
  });
});

async function keyOfAnotherOrganization({ platform }: TestServer): Promise<string> {
  const { tenants, database } = platform;
  const organization = await tenants.createOrganization({
    name: 'Stranger',
    plan: 'free',
    ownerEmail: 'stranger@localhost',
  });
  const { db } = database;
  const workspace = await db
    .selectFrom('workspaces')
    .selectAll()
    .where('organization_id', '=', organization.id)
    .executeTakeFirstOrThrow();
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('email', '=', 'stranger@localhost')
    .executeTakeFirstOrThrow();
  const { value } = await database.transaction((tx) =>
    tenants.keys.insertStandard(tx, { organization, workspace, user, name: null }),
  );
  return value;
}
