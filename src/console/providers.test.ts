import { beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { withinASecond } from '../../test/support/within-a-second.ts';
import { type AdminServer, addMember, addOrganization } from '../admin/admin-for-tests.ts';
import { openBrowser, PASSWORD, signInOwner, type TestBrowser } from './browser-for-tests.ts';
import { isSignedIn, modelsOf, type ProviderServer, SIGN_IN, startProviderServer } from './provider-for-tests.ts';

onEachDatabase('sign-in with a provider', (database) => {
  let provider: ProviderServer['provider'];
  let signIn: ProviderServer['signIn'];
  let server: AdminServer;
  let owner: TestBrowser;
  beforeAll(async () => {
    ({ provider, server, signIn } = await startProviderServer(database));
    owner = await signInOwner(server);
  });

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

    it.runIf(isSqliteOrFull(database))('has no rights without a mapped group', async () => {
      const { browser } = await signIn('bo', { groups: ['others'] });
      expect(await isSignedIn(browser)).toBe(true);
      expect(await modelsOf(browser)).toBe(403);
    });

    it.runIf(isSqliteOrFull(database))(
      'is not made for a domain that the provider is not trusted for, or an address that it refuses itself',
      async () => {
        const foreign = await signIn('eve', { email: 'eve@elsewhere.test' });
        expect(foreign.to).toBe('/console/sign-in?problem=not_joined');
        expect((await signIn('mallory', { email_verified: false })).to).toContain('not_joined');
        expect((await signIn('nobody', { email: 'corp.test' })).to).toContain('not_joined');
      },
    );

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

    it('that is invited gets the roles and workspaces of the invitation with its first sign-in', async () => {
      const lab = { name: 'Lab', admin_user_id: server.ownerId };
      const { uuid } = (await server.admin<{ uuid: string }>('POST', '/workspaces', lab)).body;
      const { tenants } = server.platform;
      const by = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
      const more = {
        roles: ['organization_admin'],
        workspaceIds: [uuid],
        language: null,
        baseUrl: server.url,
      } as const;
      await tenants.invitations.invite(by, { emails: 'ivy@corp.test', ...more });
      const { browser } = await signIn('ivy', { groups: ['builders'] });
      expect(browser.session?.user.role).toBe('organization_admin');
      expect(browser.session?.workspaces.map(({ id }) => id)).toContain(uuid);
      expect((await server.admin('GET', '/users-invite')).text).not.toContain('ivy@corp.test');
      const log = await server.admin('GET', '/audit-logs?event_type=organization.invite.accepted');
      expect(log.text).toContain('ivy@corp.test');
    });

    it('that was removed from the organization is not added again by the provider, unless it is invited', async () => {
      const { browser } = await signIn('gus', { groups: ['builders'] });
      await server.admin('DELETE', `/users/${browser.session?.user.id}`);
      await withinASecond(async () => !(await isSignedIn(browser)));
      expect((await signIn('gus', { groups: ['builders'] })).to).toContain('problem=no_organization');
      await server.admin('POST', '/users-invite', { email: 'gus@corp.test' });
      const back = await signIn('gus', { groups: ['builders'] });
      expect([back.to, back.browser.session?.user.id]).toEqual(['/console/home', browser.session?.user.id]);
      expect(await modelsOf(back.browser)).toBe(200);
    });
  });

  describe.runIf(isSqliteOrFull(database))('is refused', () => {
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
      const cookie = mine.pending;
      expect((await signIn('ida', {}, { cookie })).to).toContain('problem=refused');
      const replayed = await fetch(mine.back, { redirect: 'manual', headers: { cookie } });
      expect(replayed.headers.get('location')).toContain('problem=refused');
    });

    it('by another provider than the one it began with, and for an account that only another one knows', async () => {
      const elsewhere = (url: string) => url.replace('/corp/callback', '/labs/callback');
      expect((await signIn('ida', {}, { back: elsewhere })).to).toContain('problem=expired');
      await signIn('ida');
      const { to } = await signIn('ida', {}, { start: '/console/api/sign-in/labs' });
      expect(to).toBe('/console/sign-in?problem=not_joined');
    });

    it('when the answer names another issuer', async () => {
      const back = (url: string) => url.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fother.test');
      expect((await signIn('ida', {}, { back })).to).toContain('problem=refused');
    });

    it('from a network from which too many have failed, until some time has passed', async () => {
      const { db } = server.platform.database;
      const bucket = 'callback:127.0.0.1';
      const attemptsNow = async () =>
        (await db.selectFrom('sign_in_attempts').select('attempts').where('bucket', '=', bucket).executeTakeFirst())
          ?.attempts;
      const before = (await attemptsNow()) ?? 0;
      await signIn('ida');
      expect(await attemptsNow()).toBe(before);
      await signIn('ida', {}, { back: (url) => url.replace(/code=[^&]+/, 'code=guessed') });
      expect(await attemptsNow()).toBe(before + 1);
      await db.updateTable('sign_in_attempts').set({ attempts: 100 }).where('bucket', '=', bucket).execute();
      const refused = await signIn('ida');
      expect([refused.to, refused.browser.cookie]).toEqual(['/console/sign-in?problem=too_many', '']);
      await db.updateTable('sign_in_attempts').set({ ends_at_ms: 0 }).where('bucket', '=', bucket).execute();
      expect((await signIn('ida')).to).toBe('/console/home');
    });

    it('for a provider that there is not, and for a page of another site', async () => {
      const browser = openBrowser(server);
      const start = (path: string, to: string) => browser.ask(path, { method: 'POST', body: { to } });
      expect((await start('/console/api/sign-in/nobody', '/')).status).toBe(404);
      for (const to of ['https://evil.test', '//evil.test', '/\\evil.test', 'home'])
        expect((await start(SIGN_IN, to)).status).toBe(422);
    });
  });

  it.runIf(isSqliteOrFull(database))(
    'can be required by an organization, whose other sessions then reach nothing but their account',
    async () => {
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
      expect(
        (await fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer ${other.key}` } })).status,
      ).toBe(200);
      expect((await set(browser, { second_factor: false, provider: null })).status).toBe(200);
    },
  );

  it.runIf(isSqliteOrFull(database))('is offered on the sign-in page', async () => {
    expect((await openBrowser(server).ask('/console/api/sign-in')).body).toEqual({
      providers: [
        { id: 'corp', name: 'Corp' },
        { id: 'labs', name: 'Labs' },
      ],
      joins_by_mail: false,
    });
  });
});
