import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../../test/support/databases.ts';
import { type AdminServer, addMember, addOrganization, startAdminServer } from '../admin-for-tests.ts';
import { ORGANIZATION_ROLE_IDS, WORKSPACE_ROLE_IDS } from '../schema/roles.ts';

type Member = { uuid: string; email: string; name: string | null; raw_roles: string[]; workspaces: { uuid: string }[] };
type Users = { members: Member[]; invites: { uuid: string; email: string; expired: boolean }[]; total: number };

onEachDatabase('the users of an organization', (database) => {
  let server: AdminServer;
  let other: Awaited<ReturnType<typeof addOrganization>>;
  beforeAll(async () => {
    server = await startAdminServer(database);
    other = await addOrganization(server, 'Elsewhere');
  });

  describe('200', () => {
    it('lists the members of the organization of the key and of no other [ADMIN-USERS]', async () => {
      const { body } = await server.admin<Users>('GET', '/users');
      expect(body.members.map(({ email }) => email)).toEqual(['owner@localhost']);
      expect(body.members[0]).toMatchObject({
        uuid: server.ownerId,
        oid_id: null,
        name: null,
        raw_roles: [ORGANIZATION_ROLE_IDS.organization_admin],
        workspaces: [{ uuid: server.workspaceId, is_default: true, raw_roles: [WORKSPACE_ROLE_IDS.workspace_admin] }],
      });
      const theirs = await server.admin<Users>('GET', '/users', undefined, other.adminKey);
      expect(theirs.body.members.map(({ email }) => email)).toEqual(['owner@elsewhere.test']);
      expect(theirs.body).toMatchObject({ total: 1, page: 1, page_size: 25, invites: [] });
    });

    it.runIf(isSqliteOrFull(database))('takes the key as x-api-key and as a bearer token', async () => {
      const answer = await call(server, '/v1/admin/users', { key: server.adminKey });
      expect(answer.status).toBe(200);
    });

    it('cuts members and then invitations into pages, each once [ADMIN-USERS-PAGES]', async () => {
      const fresh = await addOrganization(server, 'Paged');
      const admin = <T>(method: string, path: string, body?: unknown) =>
        server.admin<T>(method, path, body, fresh.adminKey);
      const people = [1, 2, 3, 4].map((n) => ({ email: `m${n}@paged.test`, first_name: 'M', last_name: `${n}` }));
      await admin('POST', '/users', people);
      await admin('POST', '/users-invite', { email: 'i1@paged.test,i2@paged.test' });
      const seen: string[] = [];
      for (const page of [1, 2, 3, 4]) {
        const { body } = await admin<Users>('GET', `/users?page=${page}&page_size=2`);
        expect(body).toMatchObject({ total: 7, page, page_size: 2 });
        seen.push(...body.members.map(({ email }) => email), ...body.invites.map(({ email }) => email));
      }
      expect(seen).toEqual(['owner@paged.test', ...people.map(({ email }) => email), 'i1@paged.test', 'i2@paged.test']);
      const { body } = await admin<Users>('GET', '/users?email=M3@');
      expect([body.total, body.members.map(({ email }) => email)]).toEqual([1, ['m3@paged.test']]);
      expect((await admin<Users>('GET', '/users?email=paged&page=2&page_size=5')).body).toMatchObject({
        total: 7,
        members: [],
        invites: [{ email: 'i1@paged.test' }, { email: 'i2@paged.test' }],
      });
    });

    it('creates users, reports invalid addresses, and leaves existing members alone', async () => {
      const { body } = await server.admin('POST', '/users', [
        { email: 'Bo@Example.test', first_name: 'Bo', last_name: 'Ray', role_names: ['billing_manager', 'member'] },
        { email: 'nobody', first_name: 'No', last_name: 'Body' },
        { email: 'owner@localhost', first_name: 'X', last_name: 'Y' },
      ]);
      const ids = body.email_to_user_id as Record<string, string>;
      expect(body.invalid_emails).toEqual(['nobody']);
      expect(ids['owner@localhost']).toBe(server.ownerId);
      expect((await server.admin('GET', `/users/${ids['bo@example.test']}`)).body).toMatchObject({
        email: 'bo@example.test',
        name: 'Bo Ray',
        first_name: 'Bo',
        last_name: 'Ray',
        raw_roles: [ORGANIZATION_ROLE_IDS.billing_manager, ORGANIZATION_ROLE_IDS.member],
        raw_role: ORGANIZATION_ROLE_IDS.billing_manager,
        workspaces: [],
      });
      expect((await server.admin('GET', `/users/${server.ownerId}`)).body).toMatchObject({ name: null });
    });

    it('adds an address that another organization has as if nobody knew it, and shows neither to the other', async () => {
      const id = await addMember(server, 'both@example.test');
      const theirs = <T>(method: string, path: string, body?: unknown) =>
        server.admin<T>(method, path, body, other.adminKey);
      const add = async (email: string) => {
        const person = { email, first_name: 'Other', last_name: 'Name' };
        const { status, body } = await theirs<{ email_to_user_id: Record<string, string> }>('POST', '/users', [person]);
        const added = body.email_to_user_id[email] ?? '';
        const read = await theirs('GET', `/users/${added}`);
        const listed = await theirs<Users>('GET', `/users?email=${email}`);
        return { added, seen: [status, read.status, listed.body.total, erase(read.text, added, email)] };
      };
      const erase = (text: string, userId: string, email: string) =>
        text
          .replaceAll(userId, 'ID')
          .replaceAll(email, 'EMAIL')
          .replaceAll(/"20[^"]+"/g, 'TIME');
      const known = await add('both@example.test');
      expect(known.added).not.toBe(id);
      expect(known.seen).toEqual((await add('unknown@example.test')).seen);
      expect((await add('both@example.test')).added).toBe(known.added);
      expect((await server.admin('GET', `/users/${id}`)).body).toMatchObject({ name: 'Ann Lee' });
      expect((await theirs('GET', `/users/${id}`)).status).toBe(404);
      for (const email of ['both@example.test', 'unknown@example.test']) {
        const { added } = await add(email);
        await theirs('DELETE', `/users/${added}`);
        expect((await theirs('GET', `/users/${added}`)).status).toBe(404);
        expect((await add(email)).added).toBe(added);
      }
      expect((await server.admin('GET', `/users/${id}`)).status).toBe(200);
    });

    it.each([
      [{ role_names: ['organization_admin'] }, 'organization_admin'],
      [{ roles: ['B'] }, 'billing_manager'],
      [{ roles: [ORGANIZATION_ROLE_IDS.organization_admin] }, 'organization_admin'],
      [{ role_name: 'member' }, 'member'],
      [{ role: 'A' }, 'organization_admin'],
      [{ role: ORGANIZATION_ROLE_IDS.billing_manager, role_names: null }, 'billing_manager'],
    ] as const)('takes roles as %j', async (given, expected) => {
      const id = await addMember(server, 'roles@example.test');
      const { status, body } = await server.admin('PATCH', `/users/${id}`, given);
      expect([status, body.raw_roles]).toEqual([200, [ORGANIZATION_ROLE_IDS[expected]]]);
    });

    it('leaves a member as they are when no role is named', async () => {
      const id = await addMember(server, 'same@example.test');
      const { body } = await server.admin('PATCH', `/users/${id}`, { subscription_types: ['CHAT'] });
      expect(body).toMatchObject({ uuid: id, raw_roles: [ORGANIZATION_ROLE_IDS.member], subscriptions: [] });
    });

    it('removes a user, whose keys are refused at once and whose objects stay [ADMIN-REMOVE]', async () => {
      const id = await addMember(server, 'leaver@example.test');
      await server.admin('POST', `/workspaces/${server.workspaceId}/add-users`, { members: [{ user_uuid: id }] });
      const { body: made } = await server.admin<{ key: string }>('POST', '/api-keys', {
        workspace_uuid: server.workspaceId,
        user_id: id,
      });
      const create = { name: 'kept', definition: { content: 'Hello' }, sharingScope: 'workspace' };
      const prompt = await call(server, '/v2/prompts', { key: made.key, body: create });
      const id2 = (prompt.body as { id?: string }).id;
      const removed = await server.admin('DELETE', `/users/${id}`);
      expect(removed.body.message).toContain('leaver@example.test');
      expect((await call(server, '/v1/users/me', { key: made.key })).status).toBe(401);
      expect((await server.admin('GET', `/users/${id}`)).status).toBe(404);
      expect([prompt.status, (await call(server, `/v2/prompts/${id2}`)).status]).toEqual([200, 200]);
      const { body: keys } = await server.admin<{ keys: { created_by: string }[] }>('GET', '/api-keys');
      expect(keys.keys.map(({ created_by }) => created_by)).not.toContain('leaver@example.test');
    });

    it.runIf(isSqliteOrFull(database))('lists the roles', async () => {
      const { body } = await server.admin<Record<string, { name: string; uuid: string }[]>>('GET', '/roles');
      expect(Object.fromEntries(body.organization_roles!.map(({ name, uuid }) => [name, uuid]))).toEqual(
        ORGANIZATION_ROLE_IDS,
      );
      expect(Object.fromEntries(body.workspace_roles!.map(({ name, uuid }) => [name, uuid]))).toEqual(
        WORKSPACE_ROLE_IDS,
      );
    });
  });

  describe.runIf(isSqliteOrFull(database))('401', () => {
    it('refuses a standard key of an admin, an unknown key and none [TENANTS-STANDARD-NO-ADMIN]', async () => {
      for (const key of [server.key, `${server.adminKey}x`, 'x']) {
        const answer = await server.admin('GET', '/users', undefined, key);
        expect([answer.status, answer.text]).toEqual([401, '{"detail":"Unauthorized"}']);
      }
      expect((await call(server, '/v1/admin/users', { key: '' })).status).toBe(401);
    });

    it('refuses a revoked key at once and an expired one [ADMIN-KEY-EXPIRES]', async () => {
      const { tenants, database: db, keysSignal } = server.platform;
      const organization = server.organizationId;
      const revoked = await tenants.keys.create({ kind: 'admin', organization });
      expect((await server.admin('GET', '/users', undefined, revoked.value)).status).toBe(200);
      await tenants.keys.revoke(revoked.id);
      expect((await server.admin('GET', '/users', undefined, revoked.value)).status).toBe(401);
      const expiring = await tenants.keys.create({ kind: 'admin', organization, expiresAt: '2999-01-01T00:00:00Z' });
      expect((await server.admin('GET', '/users', undefined, expiring.value)).status).toBe(200);
      await db.transaction(async (tx) => {
        const past = { expires_at: '2020-01-01T00:00:00Z' };
        await tx.updateTable('api_keys').set(past).where('id', '=', expiring.id).execute();
        keysSignal.raise(tx);
      });
      expect((await server.admin('GET', '/users', undefined, expiring.value)).status).toBe(401);
    });
  });

  describe.runIf(isSqliteOrFull(database))('403', () => {
    it('refuses an organization that is not on the enterprise plan, in a sentence [ADMIN-ENTERPRISE]', async () => {
      const small = await addOrganization(server, 'Small', 'team');
      const answer = await server.admin('GET', '/users', undefined, small.adminKey);
      expect(answer).toMatchObject({ status: 403, body: { detail: expect.stringContaining("on the plan 'team'") } });
      await server.platform.tenants.setPlan(small.id, 'enterprise');
      expect((await server.admin('GET', '/users', undefined, small.adminKey)).status).toBe(200);
    });
  });

  describe.runIf(isSqliteOrFull(database))('404', () => {
    it("answers for another organization's user exactly as for a missing one", async () => {
      const missing = '00000000-0000-4000-8000-000000000000';
      for (const [method, body] of [['GET'], ['PATCH', { role: 'M' }], ['DELETE']] as const) {
        const theirs = await server.admin(method, `/users/${other.ownerId}`, body);
        const none = await server.admin(method, `/users/${missing}`, body);
        expect([theirs.status, theirs.text.replace(other.ownerId, missing)]).toEqual([404, none.text]);
      }
    });
  });

  describe('409', () => {
    it('refuses to remove or demote the last admin [ADMIN-LAST]', async () => {
      for (const [method, body] of [['DELETE'], ['PATCH', { role: 'M' }]] as const) {
        const fresh = await addOrganization(server, `Last${method}`);
        const answer = await server.admin(method, `/users/${fresh.ownerId}`, body, fresh.adminKey);
        expect(answer).toMatchObject({ status: 409, body: { detail: expect.stringContaining('last admin') } });
        expect((await server.admin('GET', `/users/${fresh.ownerId}`, undefined, fresh.adminKey)).body).toMatchObject({
          raw_roles: [ORGANIZATION_ROLE_IDS.organization_admin],
        });
      }
    });

    it('keeps one admin when two are demoted at the same time', async () => {
      const fresh = await addOrganization(server, 'Pair');
      const admin = (method: string, path: string, body?: unknown) => server.admin(method, path, body, fresh.adminKey);
      const { body } = await admin('POST', '/users', [
        { email: 'second@pair.test', first_name: 'S', last_name: 'P', role: 'A' },
      ]);
      const second = (body.email_to_user_id as Record<string, string>)['second@pair.test'];
      const answers = await Promise.all(
        [fresh.ownerId, second].map((id) => admin('PATCH', `/users/${id}`, { role: 'M' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    });
  });

  describe.runIf(isSqliteOrFull(database))('422', () => {
    it.each([
      ['POST', '/users', [{ email: 'a@b', first_name: 'A' }], ['body', 0, 'last_name'], 'missing'],
      [
        'POST',
        '/users',
        [{ email: 'a@b', first_name: 'A', last_name: 'B', x: 1 }],
        ['body', 0, 'x'],
        'extra_forbidden',
      ],
      ['POST', '/users', { email: 'a@b' }, ['body'], 'list_type'],
      ['PATCH', '/users/x', { role: 'M' }, ['path', 'user_id'], 'uuid_parsing'],
      ['GET', '/users?page=0', undefined, ['query', 'page'], 'greater_than'],
      ['GET', '/users?page_size=0', undefined, ['query', 'page_size'], 'greater_than'],
      ['GET', '/users?nobody=1', undefined, ['query', 'nobody'], 'extra_forbidden'],
    ])('%s %s %j is refused', async (method, path, body, loc, type) => {
      const answer = await server.admin(method, path, body);
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc, type }] } });
    });

    it('refuses roles given in two ways', async () => {
      const answer = await server.admin('PATCH', `/users/${server.ownerId}`, { role: 'M', role_names: ['member'] });
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body'], type: 'value_error' }] } });
    });
  });
});
