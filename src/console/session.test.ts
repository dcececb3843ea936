import { beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase, sqliteForTests } from '../../test/support/databases.ts';
import { type AdminServer, addMember, addOrganization, startAdminServer } from '../admin/admin-for-tests.ts';
import { openBrowser, PASSWORD, signInOwner, type TestBrowser } from './browser-for-tests.ts';
import type { ConsoleSession } from './schema/session.ts';

const OWNER = 'owner@localhost';

onEachDatabase('a session of the console', (database) => {
  let server: AdminServer;
  let owner: TestBrowser;
  beforeAll(async () => {
    server = await startAdminServer(database);
    owner = await signInOwner(server);
  });

  /** A member of the organization who has set a password; with roles in the workspace where they are given. */
  async function memberBrowser(email: string, roles: string[] = ['workspace_contributor']): Promise<TestBrowser> {
    const id = await addMember(server, email);
    const by = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
    if (roles.length > 0)
      await server.platform.tenants.workspaces.addMembers(
        by,
        server.workspaceId,
        [{ user_id: id, roles: roles as 'dev'[] }],
        'keep',
      );
    const link = await server.platform.tenants.links.create(by, id);
    const browser = openBrowser(server);
    expect((await browser.openLink(link.path, { name: 'Ann Lee' })).status).toBe(200);
    return browser;
  }
  const me = (browser: TestBrowser, headers: Record<string, string> = {}) => browser.ask('/v1/users/me', { headers });

  describe('200', () => {
    it('tells who is signed in, where and what they may do', async () => {
      const { status, body } = await owner.ask('/console/api/session');
      expect([status, body]).toEqual([
        200,
        {
          user: { id: server.ownerId, email: OWNER, name: null, role: 'organization_admin' },
          organization: { id: server.organizationId, name: 'Default', plan: 'enterprise' },
          workspaces: [
            {
              id: server.workspaceId,
              name: 'Default',
              organization_id: server.organizationId,
              role: 'workspace_admin',
            },
          ],
          workspace_id: server.workspaceId,
          permissions: expect.arrayContaining(['chat:write', 'console', 'console:administer']),
          csrf_token: owner.session?.csrf_token,
          expires_at: expect.any(String),
          sign_in: { provider: null, has_second_factor: false, refusal: null },
        },
      ]);
    });

    it.runIf(isSqliteOrFull(database))('opens the API as its user, and is nobody’s key', async () => {
      expect((await me(owner)).body).toMatchObject({
        id: server.ownerId,
        workspace: { id: server.workspaceId },
        api_key: null,
      });
      const made = await owner.ask('/v2/prompts', {
        body: { name: `by-hand-${Date.now()}`, definition: { content: 'x' } },
      });
      expect(made.status).toBe(200);
      const log = await server.admin('GET', `/audit-logs?event_type=prompt.create&actor_user_uuid=${server.ownerId}`);
      expect(log.text).toContain('HUMAN');
      expect(log.text).toContain(OWNER);
    });

    it.runIf(isSqliteOrFull(database))('opens the administrative API to an admin of the organization', async () => {
      expect((await owner.ask('/v1/admin/users')).status).toBe(200);
    });

    it.runIf(isSqliteOrFull(database))(
      'begins with e-mail and password in a cookie that scripts and other sites cannot use',
      async () => {
        const browser = openBrowser(server);
        const { status, headers, body } = await browser.signIn('Owner@localhost ');
        expect(status).toBe(200);
        const [session, device] = headers.getSetCookie();
        expect(session).toMatch(/^tramontane_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=1209600$/);
        expect(device).toMatch(
          /^tramontane_device=[\w-]{22}\.[\w-]{43}; Path=\/console\/api; HttpOnly; SameSite=Strict; Max-Age=15552000$/,
        );
        expect((body as ConsoleSession).csrf_token).not.toBe(owner.session?.csrf_token);
        expect((await me(browser)).status).toBe(200);
      },
    );

    it('is a new one at each sign-in: the one that the browser brought ends', async () => {
      const browser = openBrowser(server);
      await browser.signIn(OWNER);
      const planted = browser.cookie;
      await browser.signIn(OWNER);
      expect(browser.cookie).not.toBe(planted);
      expect((await me({ ...browser, ask: browserWith(planted).ask })).status).toBe(401);
    });

    it.runIf(isSqliteOrFull(database))('has a cookie that only https carries, where the address is one', async () => {
      const behindProxy = await startAdminServer(sqliteForTests(), {
        environment: { TRAMONTANE_PUBLIC_URL: 'https://ai.example.test' },
      });
      const browser = openBrowser(behindProxy);
      const link = behindProxy.bootstrap.created ? behindProxy.bootstrap.link.path : '';
      const { headers } = await browser.openLink(link);
      expect(headers.getSetCookie()).toEqual([expect.stringMatching(/; Secure$/), expect.stringMatching(/; Secure$/)]);
    });

    it.runIf(isSqliteOrFull(database))('gives way to a key that the request has too', async () => {
      const headers = { authorization: `Bearer ${server.key}` };
      expect((await me(owner, headers)).body).toMatchObject({ api_key: { id: expect.any(String) } });
      expect((await me(owner, { authorization: 'Bearer tmk_wrong' })).status).toBe(401);
    });

    it.runIf(isSqliteOrFull(database))('keeps only hashes of the token, and none of it in a log', async () => {
      const token = owner.cookie.split('=')[1] ?? '';
      const rows = await server.platform.database.db.selectFrom('sessions').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(token);
      expect(server.logs.join('')).not.toContain(token);
    });
  });

  function browserWith(cookie: string): TestBrowser {
    const browser = openBrowser(server);
    browser.cookie = cookie;
    return browser;
  }

  describe.runIf(isSqliteOrFull(database))('401', () => {
    it.each(['', 'tramontane_session=', 'tramontane_session=short', `tramontane_session=${'A'.repeat(43)}`, 'other=1'])(
      'cookie %j opens nothing',
      async (cookie) => {
        const browser = browserWith(cookie);
        for (const path of ['/console/api/session', '/v1/users/me', '/v1/admin/users'])
          expect([path, (await browser.ask(path)).status]).toEqual([path, 401]);
      },
    );

    it('is the end of a session that signed out, and its cookie goes', async () => {
      const browser = openBrowser(server);
      await browser.signIn(OWNER);
      const { cookie } = browser;
      expect((await me(browser)).status).toBe(200);
      const out = await browser.ask('/console/api/session', { method: 'DELETE' });
      expect([out.status, out.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Max-Age=0')]);
      expect((await me(browserWith(cookie))).status).toBe(401);
      expect((await me(owner)).status).toBe(200);
    });

    it('is the end of all sessions of a user who signed out everywhere', async () => {
      const here = await memberBrowser('everywhere@example.test');
      const there = openBrowser(server);
      await there.signIn('everywhere@example.test');
      expect([(await me(here)).status, (await me(there)).status]).toEqual([200, 200]);
      expect((await here.ask('/console/api/sessions', { method: 'DELETE' })).status).toBe(204);
      expect((await me(there)).status).toBe(401);
      expect((await me(owner)).status).toBe(200);
    });

    it('is what a removed member gets at once', async () => {
      const browser = await memberBrowser('leaving@example.test');
      const id = browser.session?.user.id ?? '';
      expect((await me(browser)).status).toBe(200);
      await server.admin('DELETE', `/users/${id}`);
      expect((await me(browser)).status).toBe(401);
      expect((await browser.signIn('leaving@example.test')).status).toBe(401);
    });

    it('answers a wrong password and an unknown address alike', async () => {
      const wrong = await openBrowser(server).signIn(OWNER, 'not the password');
      const unknown = await openBrowser(server).signIn('nobody@example.test', 'not the password');
      expect([wrong.status, wrong.text, wrong.headers.get('set-cookie')]).toEqual([401, unknown.text, null]);
      expect(unknown.status).toBe(401);
    });

    it('a key is no session', async () => {
      const headers = { authorization: `Bearer ${server.key}` };
      expect((await openBrowser(server).ask('/console/api/session', { headers })).status).toBe(401);
    });
  });

  describe.runIf(isSqliteOrFull(database))('403', () => {
    it.each([null, 'wrong'])('a request that changes something with the csrf token %j is refused', async (csrf) => {
      const refused = await owner.ask('/v2/prompts', { body: { name: 'forged', definition: { content: 'x' } }, csrf });
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('x-csrf-token')]);
      expect((await owner.ask('/console/api/sessions', { method: 'DELETE', csrf })).status).toBe(403);
      expect((await owner.ask('/v1/users/me', { csrf })).status).toBe(200);
    });

    it('the csrf token of another session of the same user is refused', async () => {
      const browser = openBrowser(server);
      await browser.signIn(OWNER);
      const csrf = browser.session?.csrf_token ?? '';
      expect((await owner.ask('/console/api/session', { method: 'DELETE', csrf })).status).toBe(403);
    });

    it.each<Record<string, string>>([
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
    ])('a page with %j may use no session and begin none', async (headers) => {
      expect((await me(owner, headers)).status).toBe(403);
      const body = { email: OWNER, password: PASSWORD };
      const begun = await openBrowser(server).ask('/console/api/session', { body, headers });
      expect([begun.status, begun.headers.get('set-cookie')]).toEqual([403, null]);
    });

    it.each([{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }])(
      'a page with %j is ours',
      async (headers) => {
        expect((await me(owner, { ...headers })).status).toBe(200);
        expect((await me(owner, { origin: server.url })).status).toBe(200);
      },
    );

    it('a member who is no admin may not administer', async () => {
      const browser = await memberBrowser('member@example.test');
      expect((await browser.ask('/v1/admin/users')).status).toBe(403);
      expect((await me(browser)).status).toBe(200);
      expect(browser.session).toMatchObject({
        user: { role: 'member' },
        workspaces: [{ role: 'workspace_contributor' }],
      });
    });

    it('a workspace of somebody else is the same as one that does not exist', async () => {
      const elsewhere = await addOrganization(server, 'Elsewhere');
      const ask = async (id: string) => {
        const { status, text } = await me(owner, { 'x-tramontane-workspace': id });
        return [status, text];
      };
      const missing = await ask('00000000-0000-4000-8000-000000000000');
      expect(missing).toEqual([403, expect.stringContaining('no such workspace')]);
      expect(await ask(elsewhere.workspaceId)).toEqual(missing);
      expect(await ask('../..')).toEqual(missing);
      expect((await ask(server.workspaceId))[0]).toBe(200);
      const lost = { 'x-tramontane-workspace': elsewhere.workspaceId };
      expect((await owner.ask('/v1/admin/users', { headers: lost })).status).toBe(403);
      expect((await owner.ask('/console/api/limits', { headers: lost })).status).toBe(403);
      expect((await owner.ask('/console/api/session', { headers: lost })).body).toMatchObject({ workspace_id: null });
    });

    it('who has no workspace can sign in, and is told so', async () => {
      const browser = await memberBrowser('placeless@example.test', []);
      expect(browser.session).toMatchObject({
        workspaces: [],
        workspace_id: null,
        permissions: ['console:account', 'console:owner', 'console', 'console:join'],
      });
      expect((await me(browser)).status).toBe(403);
    });

    it('what a user may do changes with the next request', async () => {
      const browser = await memberBrowser('promoted@example.test');
      expect((await browser.ask('/v1/admin/users')).status).toBe(403);
      const id = browser.session?.user.id ?? '';
      await server.admin('PATCH', `/users/${id}`, { role_names: ['organization_admin'] });
      expect((await browser.ask('/v1/admin/users')).status).toBe(200);
      await server.admin('PATCH', `/users/${id}`, { role_names: ['member'] });
      expect((await browser.ask('/v1/admin/users')).status).toBe(403);
    });
  });

  it('answers 429 with the time to wait after ten wrong passwords, and at an invitation too', async () => {
    await memberBrowser('guessed@example.test');
    const elsewhere = await addOrganization(server, 'Inviting');
    const invite = { email: 'guessed@example.test' };
    const { body } = await server.admin<{ invite_links: { url: string }[] }>(
      'POST',
      '/users-invite',
      invite,
      elsewhere.adminKey,
    );
    const path = new URL(body.invite_links[0]?.url ?? '').pathname;
    for (let i = 0; i < 9; i++)
      expect((await openBrowser(server).signIn('guessed@example.test', 'not the password')).status).toBe(401);
    expect((await openBrowser(server).openLink(path, { password: 'not the password' })).status).toBe(403);
    const refused = await openBrowser(server).signIn('guessed@example.test');
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.closeTo(900, -2)]);
    expect((await openBrowser(server).openLink(path)).status).toBe(429);
  });

  it('lets a browser that has signed in before sign in, whatever strangers behind the same address do', async () => {
    const email = 'locked@example.test';
    const own = await memberBrowser(email);
    for (let i = 0; i < 11; i++) await openBrowser(server).signIn(email, 'not the password');
    expect((await openBrowser(server).signIn(email)).status).toBe(429);
    expect((await own.signIn(email)).status).toBe(200);
    const other = await memberBrowser('borrower@example.test');
    expect((await other.signIn(email)).status).toBe(429);
    const forged = openBrowser(server);
    forged.device = own.device.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
    expect((await forged.signIn(email)).status).toBe(429);
  });

  describe.runIf(isSqliteOrFull(database))('422', () => {
    it.each([{}, { email: OWNER }, { email: OWNER, password: '' }, { email: OWNER, password: 'x', more: 1 }])(
      'signing in with %j is told what is wrong',
      async (body) => {
        expect((await openBrowser(server).ask('/console/api/session', { body })).status).toBe(422);
      },
    );
  });

  describe('a one-time link', () => {
    it('tells whom it is for, sets the password once, and is then the same as one that was never made', async () => {
      const id = await addMember(server, 'linked@example.test');
      const by = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
      const { path } = await server.platform.tenants.links.create(by, id);
      const api = path.replace('/console/link/', '/console/api/links/');
      expect((await openBrowser(server).ask(api)).body).toMatchObject({
        purpose: 'first_sign_in',
        email: 'linked@example.test',
        organization: { id: server.organizationId, name: 'Default' },
        has_account: false,
      });
      expect((await openBrowser(server).openLink(path, { password: 'too short' })).status).toBe(422);
      const browser = openBrowser(server);
      expect((await browser.openLink(path, { name: 'Lin Ked' })).status).toBe(200);
      expect(browser.session?.user.name).toBe('Lin Ked');
      const again = await openBrowser(server).openLink(path, { password: 'somebody else here' });
      const never = await openBrowser(server).openLink(`/console/link/${'A'.repeat(43)}`);
      expect([again.status, again.text]).toEqual([404, never.text]);
      expect((await openBrowser(server).signIn('linked@example.test')).status).toBe(200);
    });

    it('for a new password ends the sessions that the old one opened, and older links', async () => {
      const browser = await memberBrowser('reset@example.test');
      const by = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
      const create = () => server.platform.tenants.links.create(by, browser.session?.user.id ?? '');
      const [older, newer] = [await create(), await create()];
      expect(newer.purpose).toBe('password_reset');
      expect((await openBrowser(server).openLink(older.path)).status).toBe(404);
      expect((await openBrowser(server).openLink(newer.path, { password: 'another password' })).status).toBe(200);
      expect((await me(browser)).status).toBe(401);
      expect((await openBrowser(server).signIn('reset@example.test')).status).toBe(401);
      expect((await openBrowser(server).signIn('reset@example.test', 'another password')).status).toBe(200);
    });

    it('of an invitation sets name and password, joins and signs in', async () => {
      const { body } = await server.admin<{ invite_links: { url: string }[] }>('POST', '/users-invite', {
        email: 'invited@example.test',
        workspace_uuids: [server.workspaceId],
      });
      const path = new URL(body.invite_links[0]?.url ?? '').pathname;
      const browser = openBrowser(server);
      expect((await browser.ask(path.replace('/link/', '/api/links/'))).body).toMatchObject({
        purpose: 'invitation',
        email: 'invited@example.test',
        has_account: false,
      });
      expect((await browser.openLink(path)).status).toBe(400);
      expect((await browser.openLink(path, { name: 'Ida' })).status).toBe(200);
      expect(browser.session).toMatchObject({ user: { name: 'Ida' }, workspaces: [{ id: server.workspaceId }] });
      expect((await openBrowser(server).openLink(path, { name: 'Ida' })).status).toBe(404);
    });
  });

  it.runIf(isSqliteOrFull(database))(
    'tells the audit log what an administrator’s surface refused a session',
    async () => {
      const browser = await memberBrowser('refused@example.test');
      expect((await browser.ask('/v1/admin/audit-logs')).status).toBe(403);
      const id = browser.session?.user.id ?? '';
      const read = () => server.admin('GET', `/audit-logs?limit=100&actor_user_uuid=${id}`);
      await expect.poll(async () => (await read()).text, { timeout: 20_000 }).toContain('admin_api.refused');
    },
  );

  it.runIf(isSqliteOrFull(database))(
    'leaves sign-ins, failures, sign-outs and passwords in the audit log, and no secret',
    async () => {
      const browser = await memberBrowser('logged@example.test');
      await browser.ask('/console/api/session', { method: 'DELETE' });
      await browser.signIn('logged@example.test', 'not the password');
      const types = [
        'user.sign_in_link.create',
        'user.password.update',
        'user.log_in',
        'user.log_out',
        'user.log_in.failed',
      ];
      const read = () =>
        server.admin<unknown>('GET', `/audit-logs?limit=1000&actor_user_uuid=${browser.session?.user.id ?? ''}`);
      await expect.poll(async () => (await read()).text, { timeout: 20_000 }).toContain('user.log_in.failed');
      const { text } = await read();
      for (const type of types.slice(1)) expect(text).toContain(`"${type}"`);
      expect(text).not.toContain(PASSWORD);
      expect(text).not.toContain(browser.cookie.split('=')[1] || 'tramontane_session');
    },
  );
});
