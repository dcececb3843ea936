import { beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { withinASecond } from '../../test/support/within-a-second.ts';
import { type AdminServer, addMember, startAdminServer } from '../admin/admin-for-tests.ts';
import { stepAt, totpAt } from '../tenants/sign-in/totp.ts';
import { openBrowser, PASSWORD, signInOwner, type TestBrowser } from './browser-for-tests.ts';

const FACTOR = '/console/api/account/second-factor';
type Sessions = { sessions: { id: string; is_current: boolean; address: string }[] };

onEachDatabase('an account of the console', (database) => {
  let server: AdminServer;
  let owner: TestBrowser;
  let people = 0;
  beforeAll(async () => {
    server = await startAdminServer(database);
    owner = await signInOwner(server);
  });

  /** A member with a password and a role in the workspace, signed in. */
  async function person(): Promise<{ browser: TestBrowser; email: string; id: string }> {
    const email = `person-${++people}@account.test`;
    const id = await addMember(server, email);
    const by = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
    const { tenants } = server.platform;
    await tenants.workspaces.addMembers(by, server.workspaceId, [{ user_id: id, roles: ['dev'] }], 'keep');
    const browser = openBrowser(server);
    expect((await browser.openLink((await tenants.links.create(by, id)).path)).status).toBe(200);
    return { browser, email, id };
  }
  async function signIn(email: string, password = PASSWORD, code?: string): Promise<TestBrowser> {
    const browser = openBrowser(server);
    expect((await browser.signIn(email, password, code)).status).toBe(200);
    return browser;
  }
  const isSignedIn = async (browser: TestBrowser) => (await browser.ask('/console/api/session')).status === 200;
  const post = (browser: TestBrowser, path: string, body: unknown) => browser.ask(path, { method: 'POST', body });

  async function protect(browser: TestBrowser): Promise<{ secret: string; codes: string[] }> {
    const { secret } = (await post(browser, FACTOR, { password: PASSWORD })).body as { secret: string };
    const answer = await post(browser, `${FACTOR}/confirm`, { code: totpAt(secret, stepAt(Date.now())) });
    expect(answer.status).toBe(200);
    return { secret, codes: (answer.body as { recovery_codes: string[] }).recovery_codes };
  }
  /** As if the time for the next code had come. */
  const letTimePass = (id: string) =>
    server.platform.database.transaction((tx) =>
      tx.updateTable('second_factors').set({ last_step: 0 }).where('user_id', '=', id).execute(),
    );
  const codeOf = (secret: string) => totpAt(secret, stepAt(Date.now()));

  describe('its profile', () => {
    it('is changed by its owner: the new name is in the session and in the audit log', async () => {
      const { browser } = await person();
      const rename = (body: object) => browser.ask('/console/api/account', { method: 'PATCH', body });
      expect((await rename({ name: ' Ada  King Lovelace ' })).status).toBe(204);
      await withinASecond(async () => {
        const { user } = (await browser.ask('/console/api/session')).body as { user: { name: string } };
        return user.name === 'Ada King Lovelace';
      });
      const { text } = await server.admin('GET', '/audit-logs?event_type=user.info.update');
      expect(text).toContain('user.info.update');
      for (const body of [{}, { name: ' ' }, { name: 'Ada', email: 'other@account.test' }])
        expect((await rename(body)).status).toBe(422);
    });

    it.runIf(isSqliteOrFull(database))('is not reached without a session, nor with a key', async () => {
      const body = { name: 'Eve' };
      expect((await openBrowser(server).ask('/console/api/account', { method: 'PATCH', body })).status).toBe(401);
      const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
      const answer = await fetch(`${server.url}/console/api/account`, {
        ...{ method: 'PATCH', headers, body: JSON.stringify(body) },
      });
      expect([401, 403]).toContain(answer.status);
    });
  });

  describe('its sessions', () => {
    it('are listed, and one of them ends within a second', async () => {
      const { browser, email } = await person();
      const other = await signIn(email);
      const { sessions } = (await browser.ask('/console/api/sessions')).body as Sessions;
      expect(sessions.map(({ is_current }) => is_current).toSorted()).toEqual([false, true]);
      expect(JSON.stringify(sessions)).not.toContain('token');
      const theirs = sessions.find(({ is_current }) => !is_current)?.id ?? '';
      const ended = await browser.ask(`/console/api/sessions/${theirs}`, { method: 'DELETE' });
      expect(ended.status).toBe(204);
      await withinASecond(async () => !(await isSignedIn(other)));
      expect(await isSignedIn(browser)).toBe(true);
    });

    it.runIf(isSqliteOrFull(database))('of somebody else look like missing ones', async () => {
      const { browser } = await person();
      const [theirs] = ((await owner.ask('/console/api/sessions')).body as Sessions).sessions;
      expect((await browser.ask(`/console/api/sessions/${theirs?.id}`, { method: 'DELETE' })).status).toBe(404);
      expect(await isSignedIn(owner)).toBe(true);
    });
  });

  describe('its password', () => {
    it('is changed with the present one, and ends all other sessions', async () => {
      const { browser, email } = await person();
      const other = await signIn(email);
      const new_password = 'another horse battery';
      const wrong = await post(browser, '/console/api/account/password', { password: 'wrong', new_password });
      expect(wrong.status).toBe(403);
      const changed = await post(browser, '/console/api/account/password', { password: PASSWORD, new_password });
      expect(changed.status).toBe(204);
      await withinASecond(async () => !(await isSignedIn(other)));
      expect(await isSignedIn(browser)).toBe(true);
      expect((await openBrowser(server).signIn(email)).status).toBe(401);
      await signIn(email, new_password);
    });

    it.runIf(isSqliteOrFull(database))('has at least twelve characters', async () => {
      const { browser } = await person();
      const body = { password: PASSWORD, new_password: 'short' };
      expect((await post(browser, '/console/api/account/password', body)).status).toBe(422);
    });

    it.runIf(isSqliteOrFull(database))('cannot be guessed from a stolen session', async () => {
      const { browser } = await person();
      const guess = () =>
        post(browser, '/console/api/account/password', { password: 'guess', new_password: 'x'.repeat(12) });
      for (let attempt = 0; attempt < 10; attempt += 1) expect((await guess()).status).toBe(403);
      expect((await guess()).status).toBe(429);
    });
  });

  describe('its second factor', () => {
    it('is asked for after the password, and no code works twice', async () => {
      const { browser, email, id } = await person();
      const { secret } = await protect(browser);
      const asked = await openBrowser(server).signIn(email);
      expect([asked.status, asked.body]).toMatchObject([401, { code: 'second_factor_required' }]);
      expect((await openBrowser(server).signIn(email, 'wrong password')).body).not.toHaveProperty('code');
      // The code that set it up was used then.
      expect((await openBrowser(server).signIn(email, PASSWORD, codeOf(secret))).status).toBe(403);
      await letTimePass(id);
      const code = codeOf(secret);
      await signIn(email, PASSWORD, code);
      expect((await openBrowser(server).signIn(email, PASSWORD, code)).status).toBe(403);
    });

    it('does not count before its first code, and replaces itself until then', async () => {
      const { browser, email } = await person();
      const first = (await post(browser, FACTOR, { password: PASSWORD })).body as { secret: string };
      const second = (await post(browser, FACTOR, { password: PASSWORD })).body as { secret: string };
      expect(second.secret).not.toBe(first.secret);
      await signIn(email);
      expect((await post(browser, `${FACTOR}/confirm`, { code: '000000' })).status).toBe(403);
      expect((await post(browser, `${FACTOR}/confirm`, { code: codeOf(second.secret) })).status).toBe(200);
      expect((await post(browser, FACTOR, { password: PASSWORD })).status).toBe(409);
    });

    it('ends the other sessions when it is set up', async () => {
      const { browser, email } = await person();
      const other = await signIn(email);
      await protect(browser);
      await withinASecond(async () => !(await isSignedIn(other)));
      expect(await isSignedIn(browser)).toBe(true);
    });

    it('has recovery codes that work once each, and are stored as hashes', async () => {
      const { browser, email, id } = await person();
      const { codes, secret } = await protect(browser);
      expect(codes).toHaveLength(10);
      expect(codes[0]).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
      const [first = '', second = ''] = codes;
      await signIn(email, PASSWORD, first.toUpperCase().replaceAll('-', ' '));
      expect((await openBrowser(server).signIn(email, PASSWORD, first)).status).toBe(403);
      const { db } = server.platform.database;
      const rows = JSON.stringify([
        await db.selectFrom('recovery_codes').selectAll().where('user_id', '=', id).execute(),
        await db.selectFrom('second_factors').selectAll().where('user_id', '=', id).execute(),
      ]);
      for (const hidden of [secret, second, second.replaceAll('-', '')]) expect(rows).not.toContain(hidden);
      await letTimePass(id);
      const proof = { password: PASSWORD, code: codeOf(secret) };
      const renewed = await post(browser, `${FACTOR}/recovery-codes`, proof);
      expect(renewed.status).toBe(200);
      expect((await openBrowser(server).signIn(email, PASSWORD, second)).status).toBe(403);
    });

    it('is removed with password and code, never by a session alone', async () => {
      const { browser, email, id } = await person();
      const { secret } = await protect(browser);
      await letTimePass(id);
      expect((await post(browser, `${FACTOR}/remove`, { password: PASSWORD })).status).toBe(403);
      const wrong = { password: 'wrong', code: codeOf(secret) };
      expect((await post(browser, `${FACTOR}/remove`, wrong)).status).toBe(403);
      const proof = { password: PASSWORD, code: codeOf(secret) };
      expect((await post(browser, `${FACTOR}/remove`, proof)).status).toBe(204);
      await signIn(email);
    });

    it('cannot be guessed by somebody with the password, who does not lock the owner out either', async () => {
      const { browser, email, id } = await person();
      const { secret, codes } = await protect(browser);
      await letTimePass(id);
      const { tenants } = server.platform;
      for (let attempt = 0; attempt < 10; attempt += 1)
        expect(await tenants.secondFactors.check({ id, email }, '000000', undefined)).toBe(false);
      const guess = tenants.secondFactors.check({ id, email }, codeOf(secret), undefined);
      await expect(guess).rejects.toMatchObject({ status: 429 });
      // A browser that the account knows, and a recovery code anywhere.
      expect((await browser.signIn(email, PASSWORD, codeOf(secret))).status).toBe(200);
      await signIn(email, PASSWORD, codes[0]);
    });

    it.runIf(isSqliteOrFull(database))('is also asked for by a link that sets a new password', async () => {
      const { browser, id } = await person();
      const { codes } = await protect(browser);
      const by = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
      const link = await server.platform.tenants.links.create(by, id);
      expect((await openBrowser(server).openLink(link.path)).status).toBe(401);
      expect((await openBrowser(server).openLink(link.path, { code: codes[0] })).status).toBe(200);
    });

    it.runIf(isSqliteOrFull(database))('is in the audit log without its secret', async () => {
      const { browser, id } = await person();
      const { secret, codes } = await protect(browser);
      const log = await server.admin('GET', `/audit-logs?event_type=user.second_factor.update&actor_user_uuid=${id}`);
      expect(log.text).toContain('set up');
      for (const hidden of [secret, codes[0] ?? '']) expect(log.text).not.toContain(hidden);
    });
  });

  describe.runIf(isSqliteOrFull(database))('the rules of its organization', () => {
    it('can require a second factor: other sessions reach their account page and nothing else', async () => {
      const { browser } = await person();
      const rules = '/console/api/sign-in-rules';
      const set = (second_factor: boolean) =>
        owner.ask(rules, { method: 'PUT', body: { second_factor, provider: null } });
      expect((await set(true)).status).toBe(409);
      await protect(owner);
      expect((await browser.ask(rules)).status).toBe(403);
      expect((await set(true)).status).toBe(200);
      await withinASecond(async () => (await browser.ask('/v1/models')).status === 403);
      expect((await browser.ask('/v1/models')).text).toContain('second factor');
      expect((await post(browser, '/console/api/keys', { name: 'around the rule' })).status).toBe(403);
      expect((await browser.ask('/console/api/session')).body).toMatchObject({
        sign_in: { refusal: expect.stringContaining('second factor') },
      });
      expect((await owner.ask('/v1/admin/users')).status).toBe(200);
      await protect(browser);
      await withinASecond(async () => (await browser.ask('/v1/models')).status === 200);
      expect((await set(false)).status).toBe(200);
    });

    it.runIf(isSqliteOrFull(database))('names providers that there are', async () => {
      const body = { second_factor: false, provider: 'nobody' };
      expect((await owner.ask('/console/api/sign-in-rules', { method: 'PUT', body })).status).toBe(404);
    });
  });
});
