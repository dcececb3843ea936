import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { startTestServer } from '../../test/support/server.ts';
import { withinASecond } from '../../test/support/within-a-second.ts';
import type { AdminServer } from '../admin/admin-for-tests.ts';
import { definitionOf, register } from '../workflows/workflows-for-tests.ts';
import { openBrowser } from './browser-for-tests.ts';
import { isSignedIn, modelsOf, type ProviderServer, SIGN_IN, startProviderServer } from './provider-for-tests.ts';

const WITHIN = { timeout: 20_000, interval: 50 };

onEachDatabase('a session of a provider', (database) => {
  let provider: ProviderServer['provider'];
  let signIn: ProviderServer['signIn'];
  let startAnother: ProviderServer['startAnother'];
  let server: AdminServer;
  beforeAll(async () => {
    ({ provider, server, signIn, startAnother } = await startProviderServer(database));
  });

  const sendLogout = (logout_token: string) =>
    fetch(`${server.url}${SIGN_IN}/logout`, { method: 'POST', body: new URLSearchParams({ logout_token }) });
  const setGroups = (account: string, groups: string[]) =>
    provider.set({ accounts: { [account]: { email: `${account}@corp.test`, groups } } });

  describe.runIf(isSqliteOrFull(database))('at the default settings', () => {
    it('loses the rights of a group within a second of the claim', async () => {
      const { browser } = await signIn('joe', { groups: ['builders'] });
      expect(await modelsOf(browser)).toBe(200);
      await setGroups('joe', []);
      await withinASecond(async () => (await modelsOf(browser)) === 403);
      expect(await isSignedIn(browser)).toBe(true);
      const log = await server.admin('GET', '/audit-logs?event_type=user_group.member.remove');
      expect(log.text).toContain('provider corp');
    });

    it('loses them where the claim is in ID tokens only, which come with new tokens', async () => {
      await provider.set({ forge: { groups: ['builders'] } });
      const { browser } = await signIn('jan');
      expect(await modelsOf(browser)).toBe(200);
      await provider.set({ forge: { groups: [] } });
      await withinASecond(async () => (await modelsOf(browser)) === 403);
      await provider.set({ forge: {} });
    });

    it('ends a stream that is open within a second of the claim, without another request', async () => {
      // Nobody works on it, so its stream stays open.
      await register(server, [definitionOf('waiting')]);
      const { body } = await call(server, '/v1/workflows/waiting/execute', { body: { input: {} } });
      const { execution_id } = body as { execution_id: string };
      const { browser } = await signIn('jil', { groups: ['builders'] });
      const path = `/v1/workflows/events/stream?root_workflow_exec_id=${execution_id}`;
      const stream = await fetch(`${server.url}${path}`, { headers: { cookie: browser.cookie } });
      expect(stream.status).toBe(200);
      let isOver = false;
      const ended = stream.text().finally(() => {
        isOver = true;
      });
      await setGroups('jil', []);
      await withinASecond(async () => isOver);
      expect(await ended).toContain('error');
    });

    it('asks the provider once a second at most, however many requests there are, and renews no token for that', async () => {
      const { browser } = await signIn('jim', { groups: ['builders'] });
      await provider.takeCounts();
      const since = performance.now();
      for (let round = 0; round < 5; round++)
        expect(await Promise.all(Array.from({ length: 8 }, () => modelsOf(browser)))).toEqual(Array(8).fill(200));
      const seconds = Math.ceil((performance.now() - since) / 1000);
      const counts = await provider.takeCounts();
      expect(counts['/me'] ?? 0).toBeLessThanOrEqual(seconds);
      expect(counts['/token'] ?? 0).toBe(0);
    });

    it('goes on while the provider does not answer, and follows it when it does', async () => {
      const { browser } = await signIn('jon', { groups: ['builders'] });
      await provider.set({ outage: 'refuse' });
      await setGroups('jon', []);
      await provider.takeCounts();
      for (let round = 0; round < 30; round++) expect(await modelsOf(browser)).toBe(200);
      const asked = Object.values(await provider.takeCounts()).reduce((sum, count) => sum + count, 0);
      expect(asked).toBeLessThan(10);
      await provider.set({ outage: '' });
      await expect.poll(() => modelsOf(browser), WITHIN).toBe(403);
    });
  });

  it.runIf(isSqliteOrFull(database))('ends within a second when the account is gone at the provider', async () => {
    const { browser } = await signIn('kim', { groups: ['builders'] });
    await provider.set({ accounts: {} });
    await withinASecond(async () => !(await isSignedIn(browser)));
    const log = await server.admin('GET', '/audit-logs?event_type=user.log_out');
    expect(log.text).toContain('refused there');
  });

  it.runIf(isSqliteOrFull(database))(
    'outlives the end of its access token, and new keys of the provider, which sign the next sign-in',
    async () => {
      await provider.set({ ttl: 1 });
      const { browser } = await signIn('lou', { groups: ['builders'] });
      await provider.set({ ttl: 3600, rotate: true });
      await provider.takeCounts();
      // The token has ended once a renewal was needed.
      await expect
        .poll(async () => {
          expect(await modelsOf(browser)).toBe(200);
          return (await provider.takeCounts())['/token'] ?? 0;
        }, WITHIN)
        .toBe(1);
      const next = await signIn('lou');
      expect([next.status, next.to]).toEqual([303, '/console/home']);
      expect(await isSignedIn(browser)).toBe(true);
    },
  );

  it.runIf(isSqliteOrFull(database))(
    'signs out at the provider too, and ends within a second of a sign-out there',
    async () => {
      const place = provider.openBrowser();
      const here = await signIn('mia', {}, { place });
      const there = await signIn('mia', {}, { place, isKnown: true });
      const out = await here.browser.ask('/console/api/session', { method: 'DELETE' });
      const { sign_out_url } = out.body as { sign_out_url: string };
      expect(sign_out_url).toContain(provider.issuer);
      expect(await isSignedIn(there.browser)).toBe(true);
      await place.signOut(sign_out_url);
      await withinASecond(async () => !(await isSignedIn(there.browser)));
    },
  );

  describe.runIf(isSqliteOrFull(database))('a logout token', () => {
    it('ends sessions once; the second time it is refused', async () => {
      const { browser } = await signIn('nan');
      const token = await provider.makeLogout({ sub: 'nan' });
      expect((await sendLogout(token)).status).toBe(200);
      await withinASecond(async () => !(await isSignedIn(browser)));
      const again = await signIn('nan');
      expect((await sendLogout(token)).status).toBe(400);
      expect(await isSignedIn(again.browser)).toBe(true);
    });

    it.each([
      ['of another issuer', { iss: 'https://other.test' }],
      ['for another client', { aud: 'somebody-else' }],
      ['that is too old', { iat: 1_600_000_000 }],
      ['that has expired', { exp: 1_600_000_000 }],
      ['with a nonce, as ID tokens have', { nonce: 'of a sign-in' }],
      ['without the event', { events: {} }],
      ['without an id', { jti: null }],
      ['for nobody', { sub: null }],
    ])('%s is refused', async (_, claims) => {
      expect((await sendLogout(await provider.makeLogout({ sub: 'ned', ...claims }))).status).toBe(400);
    });

    it('that the provider did not sign ends nothing', async () => {
      const { browser } = await signIn('ned');
      for (const token of ['x.y.z', '']) expect((await sendLogout(token)).status).toBe(400);
      expect(await isSignedIn(browser)).toBe(true);
    });
  });

  it('keeps its tokens encrypted', async () => {
    await signIn('ola');
    const rows = await server.platform.database.db.selectFrom('sessions').select('provider_tokens').execute();
    const sealed = rows.flatMap(({ provider_tokens }) => provider_tokens ?? []);
    expect(sealed.length).toBeGreaterThan(0);
    for (const text of sealed) expect(text).toMatch(/^s1\.[0-9a-f]{8}\.[\w-]+$/);
  });

  it.runIf(database.kind === 'postgres')(
    'is renewed by one of several servers at a time, and loses its rights on all of them within a second',
    async () => {
      const second = await startAnother();
      // Groups in ID tokens need a renewal for each answer, and the provider takes each refresh token once.
      await provider.set({ forge: { groups: ['builders'] } });
      const { browser } = await signIn('pat');
      const there = openBrowser(second);
      there.cookie = browser.cookie;
      await provider.takeCounts();
      let renewals = 0;
      const renewed = async () => {
        expect(await Promise.all([browser, there, browser, there].map(modelsOf))).toEqual([200, 200, 200, 200]);
        renewals += (await provider.takeCounts())['/token'] ?? 0;
        return renewals;
      };
      await expect.poll(renewed, WITHIN).toBeGreaterThan(4);
      await provider.set({ forge: { groups: [] } });
      await Promise.all([browser, there].map((one) => withinASecond(async () => (await modelsOf(one)) === 403)));
      expect(await isSignedIn(there)).toBe(true);
      await provider.set({ forge: {} });
    },
  );

  it.runIf(isSqliteOrFull(database))(
    'ends, and is in the audit log, when its provider is taken out of the configuration',
    async () => {
      const { browser } = await signIn('pia');
      await startTestServer(database, { file: { sign_in: { providers: [] } } });
      await withinASecond(async () => !(await isSignedIn(browser)));
      const log = await server.admin<{ data: unknown[] }>('GET', '/audit-logs?event_type=user.log_out');
      expect(log.text).toContain('the provider is no longer configured');
      expect(log.text).toContain('pia@corp.test');
    },
  );
});
