import { beforeAll, describe, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import {
  type IdentityProvider,
  type ProviderBrowser,
  startIdentityProvider,
} from '../../test/support/identity-provider.ts';
import { withinASecond } from '../../test/support/within-a-second.ts';
import { type AdminServer, addMember, addOrganization, startAdminServer } from '../admin/admin-for-tests.ts';
import { openBrowser, PASSWORD, signInOwner, type TestBrowser } from './browser-for-tests.ts';

const SIGN_IN = '/console/api/sign-in/corp';

onEachDatabase('sign-in with a provider', (database) => {
  let provider: IdentityProvider;
  let server: AdminServer;
  let owner: TestBrowser;
  let groupId: string;
  beforeAll(async () => {
    provider = await startIdentityProvider();
    server = await startAdminServer(database, {
      file: {
        sign_in: {
          providers: [
            {
              id: 'corp',
              name: 'Corp',
              issuer: provider.issuer,
              client_id: 'tramontane',
              client_secret: 'the-secret-of-tramontane',
              scopes: ['email', 'profile', 'groups'],
              domains: ['corp.test'],
              organization: 'Default',
              groups: [{ claim: 'builders', group: 'Builders' }],
              recheck_seconds: 0.5,
            },
          ],
        },
      },
    });
    await provider.set({ base: server.url });
    owner = await signInOwner(server);
    const { tenants } = server.platform;
    const by = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
    const input = { description: null, target_type: null, parentIds: [] };
    groupId = (await tenants.groups.create(by, { ...input, name: 'Builders' })).id;
    await tenants.groups.assign(by, groupId, server.workspaceId, ['workspace_contributor']);
  });

  /** Starts a sign-in, goes through the provider as this account, and comes back. */
  async function signIn(account: string, claims: Record<string, unknown> = {}, options: Options = {}) {
    const email = `${account}@corp.test`;
    if (!options.isKnown)
      await provider.set({ accounts: { [account]: { email, email_verified: true, name: 'Ann Lee', ...claims } } });
    await provider.set({ account });
    const browser = options.browser ?? openBrowser(server);
    const place = options.place ?? provider.openBrowser();
    const started = await browser.ask(options.start ?? SIGN_IN, {
      method: 'POST',
      body: options.body ?? { to: '/home' },
    });
    expect(started.status).toBe(200);
    const { url } = started.body as { url: string };
    const pending = started.headers.getSetCookie().find((line) => line.startsWith('tramontane_sign_in='));
    const back = await place.visit(url);
    const cookie = options.cookie ?? pending?.split(';')[0] ?? '';
    const answer = await fetch(options.back?.(back) ?? back, { redirect: 'manual', headers: { cookie } });
    const session = answer.headers.getSetCookie().find((line) => line.startsWith('tramontane_session='));
    if (session) {
      browser.cookie = session.split(';')[0] ?? '';
      browser.session = (await browser.ask('/console/api/session')).body as TestBrowser['session'];
    }
    return { browser, place, back, status: answer.status, to: answer.headers.get('location'), pending };
  }
  type Options = {
    browser?: TestBrowser;
    place?: ProviderBrowser;
    cookie?: string;
    isKnown?: boolean;
    start?: string;
    body?: unknown;
    back?: (url: string) => string;
  };
  const modelsOf = async (browser: TestBrowser) => (await browser.ask('/v1/models')).status;
  const isSignedIn = async (browser: TestBrowser) => (await browser.ask('/console/api/session')).status === 200;

  describe('an account', () => {
    it('is made at the first sign-in, with the roles of its groups, and found at the next', async () => {
      const { browser, status, to } = await signIn('ann', { groups: ['builders', 'others'] });
      expect([status, to]).toEqual([303, '/console/home']);
      expect(browser.session).toMatchObject({
        user: { email: 'ann@corp.test', name: 'Ann Lee', role: 'member' },
        sign_in: { provider: 'corp' },
      });
      expect(await modelsOf(browser)).toBe(200);
      const again = await signIn('ann', { email: 'ann.renamed@corp.test', groups: ['builders'] });
      expect(again.browser.session?.user.id).toBe(browser.session?.user.id);
      const log = await server.admin('GET', '/audit-logs?event_type=user.identity.join');
      expect(log.text).toContain('ann@corp.test');
    });

    it('has no rights without a mapped group', async () => {
      const { browser } = await signIn('bo', { groups: ['others'] });
      expect(await isSignedIn(browser)).toBe(true);
      expect(await modelsOf(browser)).toBe(403);
    });

    it('is not made for a domain that the provider is not trusted for, or an address that it refuses itself', async () => {
      const foreign = await signIn('eve', { email: 'eve@elsewhere.test' });
      expect(foreign.to).toBe('/console/sign-in?problem=not_joined');
      expect((await signIn('mallory', { email_verified: false })).to).toContain('not_joined');
      expect((await signIn('nobody', { email: 'corp.test' })).to).toContain('not_joined');
    });

    it('of the same address is joined only where the provider is trusted for its domain', async () => {
      const known = await addMember(server, 'carl@corp.test');
      expect((await signIn('carl')).browser.session?.user.id).toBe(known);
      await addMember(server, 'dan@elsewhere.test');
      expect((await signIn('dan', { email: 'dan@elsewhere.test' })).to).toContain('not_joined');
    });

    it('elsewhere is joined by its owner, who is signed in and proves it again', async () => {
      const email = 'fay@elsewhere.test';
      const id = await addMember(server, email);
      const by = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
      const link = await server.platform.tenants.links.create(by, id);
      const fay = openBrowser(server);
      await fay.openLink(link.path);
      const start = '/console/api/account/identities/corp';
      expect((await fay.ask(start, { method: 'POST', body: { password: 'wrong' } })).status).toBe(403);
      const joined = await signIn('fay', { email }, { browser: fay, start, body: { password: PASSWORD } });
      expect(joined.to).toBe('/console/account');
      expect((await signIn('fay', { email })).browser.session?.user.id).toBe(id);
      expect((await fay.ask('/console/api/account')).body).toMatchObject({ identities: [{ provider: 'corp' }] });
      // A subject belongs to one account.
      const other = await signIn('fay', { email }, { browser: owner, start, body: { password: PASSWORD } });
      expect(other.to).toBe('/console/account?problem=taken');
      expect((await fay.ask(start, { method: 'DELETE' })).status).toBe(204);
      expect((await signIn('fay', { email })).to).toContain('not_joined');
    });

    it('that was removed from the organization is not added again by the provider', async () => {
      const { browser } = await signIn('gus', { groups: ['builders'] });
      await server.admin('DELETE', `/users/${browser.session?.user.id}`);
      await withinASecond(async () => !(await isSignedIn(browser)));
      expect((await signIn('gus', { groups: ['builders'] })).to).toContain('problem=no_organization');
    });
  });

  describe('is refused', () => {
    it.each([
      ['of another issuer', { iss: 'https://other.test' }],
      ['for another client', { aud: 'somebody-else' }],
      ['with another nonce', { nonce: 'of another sign-in' }],
      ['that has expired', { exp: 1_600_000_000 }],
      ['of a key that the provider does not have', { key: 'another' }],
    ])('with an ID token %s', async (_, forge) => {
      await provider.set({ forge });
      const { to, browser } = await signIn('hal');
      await provider.set({ forge: {} });
      expect(to).toBe('/console/sign-in?problem=refused');
      expect(browser.cookie).toBe('');
    });

    it('without the cookie of the browser that began it, with that of another one, or a second time', async () => {
      expect((await signIn('ida', {}, { cookie: '' })).to).toContain('problem=expired');
      expect((await signIn('ida', {}, { cookie: 'tramontane_sign_in=forged' })).to).toContain('problem=expired');
      const mine = await signIn('ida');
      const cookie = mine.pending?.split(';')[0] ?? '';
      expect((await signIn('ida', {}, { cookie })).to).toContain('problem=refused');
      const replayed = await fetch(mine.back, { redirect: 'manual', headers: { cookie } });
      expect(replayed.headers.get('location')).toContain('problem=refused');
    });

    it('when the answer names another issuer', async () => {
      const back = (url: string) => url.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fother.test');
      expect((await signIn('ida', {}, { back })).to).toContain('problem=refused');
    });

    it('for a provider that there is not, and for a page of another site', async () => {
      const browser = openBrowser(server);
      const start = (path: string, to: string) => browser.ask(path, { method: 'POST', body: { to } });
      expect((await start('/console/api/sign-in/nobody', '/')).status).toBe(404);
      for (const to of ['https://evil.test', '//evil.test', '/\\evil.test', 'home'])
        expect((await start(SIGN_IN, to)).status).toBe(422);
    });
  });

  describe('a session', () => {
    it('loses the rights of a group within a second of the claim', async () => {
      const { browser } = await signIn('joe', { groups: ['builders'] });
      expect(await modelsOf(browser)).toBe(200);
      await provider.set({ accounts: { joe: { email: 'joe@corp.test', groups: [] } } });
      await withinASecond(async () => (await modelsOf(browser)) === 403);
      expect(await isSignedIn(browser)).toBe(true);
    });

    it('ends within a second when the account is gone at the provider', async () => {
      const { browser } = await signIn('kim', { groups: ['builders'] });
      await provider.set({ accounts: {} });
      await withinASecond(async () => !(await isSignedIn(browser)));
    });

    it('outlives new keys of the provider, which sign the next sign-in', async () => {
      const { browser } = await signIn('lou');
      await provider.set({ rotate: true });
      const next = await signIn('lou');
      expect(next.status).toBe(303);
      expect(next.to).toBe('/console/home');
      expect(await isSignedIn(browser)).toBe(true);
    });

    it('signs out at the provider too, and ends within a second of a sign-out there', async () => {
      const place = provider.openBrowser();
      const here = await signIn('mia', {}, { place });
      const there = await signIn('mia', {}, { place, isKnown: true });
      const out = await here.browser.ask('/console/api/session', { method: 'DELETE' });
      const { sign_out_url } = out.body as { sign_out_url: string };
      expect(sign_out_url).toContain(provider.issuer);
      expect(await isSignedIn(there.browser)).toBe(true);
      await place.signOut(sign_out_url);
      await withinASecond(async () => !(await isSignedIn(there.browser)));
    });

    it('is not ended by a logout token that the provider did not sign', async () => {
      const { browser } = await signIn('ned');
      for (const body of ['logout_token=x.y.z', '', 'logout_token=']) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const answer = await fetch(`${server.url}${SIGN_IN}/logout`, { method: 'POST', headers, body });
        expect(answer.status).toBe(400);
      }
      expect(await isSignedIn(browser)).toBe(true);
    });

    it('keeps its tokens encrypted', async () => {
      await signIn('ola');
      const rows = await server.platform.database.db.selectFrom('sessions').select('provider_tokens').execute();
      const sealed = rows.flatMap(({ provider_tokens }) => provider_tokens ?? []);
      expect(sealed.length).toBeGreaterThan(0);
      for (const text of sealed) expect(text).toMatch(/^s1\.[0-9a-f]{8}\.[\w-]+$/);
    });
  });

  it('can be required by an organization, whose other sessions then reach nothing but their account', async () => {
    const other = await addOrganization(server, 'Elsewhere');
    const rules = { second_factor: false, provider: 'corp' };
    const set = (browser: TestBrowser, body: object) =>
      browser.ask('/console/api/sign-in-rules', { method: 'PUT', body });
    expect((await set(owner, rules)).status).toBe(409);
    const { browser } = await signIn('pam', { groups: ['builders'] });
    await server.admin('PATCH', `/users/${browser.session?.user.id}`, { role_names: ['organization_admin'] });
    await withinASecond(async () => (await set(browser, rules)).status === 200);
    await withinASecond(async () => (await owner.ask('/v1/models')).status === 403);
    expect((await owner.ask('/v1/models')).text).toContain("'corp'");
    expect(await modelsOf(browser)).toBe(200);
    expect((await fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer ${other.key}` } })).status).toBe(
      200,
    );
    expect((await set(browser, { second_factor: false, provider: null })).status).toBe(200);
  });

  it('is offered on the sign-in page', async () => {
    expect((await openBrowser(server).ask('/console/api/sign-in')).body).toEqual({
      providers: [{ id: 'corp', name: 'Corp' }],
    });
  });
});
