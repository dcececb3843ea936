import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { boxForTests } from '../../../test/support/secret-box.ts';
import { createAuditService } from '../../audit/index.ts';
import { createSignal, type Database } from '../../kit/db/index.ts';
import type { Scope, Surface } from '../../kit/http/index.ts';
import { createTenantService } from '../service/tenant-service.ts';
import { lowerCostForTests } from '../sign-in/hash-password.ts';
import { csrfTokenOf, sessionCookie } from '../sign-in/session-token.ts';
import { createAuthenticator } from './authenticate.ts';

const HOUR_MS = 60 * 60 * 1000;
const CLIENT = { address: '127.0.0.1', userAgent: 'test' };

type Process = ReturnType<typeof openProcess>;

function openProcess(database: Database) {
  const clock = { ms: Date.now() };
  const now = () => clock.ms;
  const keysSignal = createSignal(database, 'keys', now);
  const tenants = createTenantService({
    box: boxForTests,
    database,
    audit: createAuditService({ database, now }),
    keysSignal,
    now,
  });
  const authenticator = createAuthenticator(database, keysSignal, now);
  const ask = (token: string, surface: Surface = 'standard', method = 'GET', csrf = csrfTokenOf(token)) => {
    const cookie = `theme=dark; ${sessionCookie(token, { isSecure: true, maxAgeSeconds: 1 }).split(';')[0]}`;
    const browser = { method, headers: { cookie, 'x-csrf-token': csrf }, host: 'localhost' };
    return authenticator.authenticate({ authorization: undefined, apiKey: undefined, browser }, surface);
  };
  return { database, clock, keysSignal, tenants, authenticator, ask };
}

onEachDatabase('a session', (test) => {
  let here: Process;
  let elsewhere: Process;
  let owner: { id: string; email: string };
  beforeAll(async () => {
    here = openProcess(await test.open());
    elsewhere = openProcess(await test.open());
    await here.tenants.bootstrap({ ownerEmail: 'owner@localhost' });
    owner = await here.database.db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    for (const { keysSignal, authenticator } of [here, elsewhere]) {
      await keysSignal.start();
      await authenticator.start();
    }
  });
  beforeEach(() => setClocks(Date.now()));
  afterAll(async () => {
    for (const { keysSignal, authenticator, database } of [here, elsewhere]) {
      await authenticator.stop();
      await keysSignal.stop();
      await database.close();
    }
  });

  function setClocks(ms: number): void {
    for (const { clock } of [here, elsewhere]) clock.ms = ms;
  }
  const open = () => here.database.transaction((tx) => here.tenants.sessions.open(tx, owner, CLIENT));

  it('is answered from memory once it was seen: no query', async () => {
    const { token } = await open();
    // The signal of what other tests changed may drop what was seen, once.
    await expect
      .poll(
        async () => {
          setClocks(Date.now());
          await here.ask(token);
          return here.ask(token) instanceof Promise;
        },
        { timeout: 20_000 },
      )
      .toBe(false);
  });

  it('ends after a day without use, which use in any process puts off, and after two weeks in any case', async () => {
    const { token } = await open();
    const start = here.clock.ms;
    for (let hour = 0; hour <= 14 * 24; hour += 20) {
      setClocks(start + hour * HOUR_MS);
      const used = (hour / 20) % 2 ? elsewhere : here;
      expect([hour, (await used.ask(token)) !== undefined]).toEqual([hour, true]);
      await used.authenticator.stop();
    }
    setClocks(start + 14 * 24 * HOUR_MS);
    expect(await here.ask(token)).toBeUndefined();

    const idle = await open();
    setClocks(here.clock.ms + 24 * HOUR_MS - 1);
    expect(await elsewhere.ask(idle.token)).toBeDefined();
    const { token: unused } = await open();
    setClocks(here.clock.ms + 24 * HOUR_MS);
    expect(await here.ask(unused)).toBeUndefined();
  });

  it('that was ended is refused at once here, and within a second elsewhere', async () => {
    const { token } = await open();
    const scope = (await here.ask(token, 'console')) as Scope;
    expect(await elsewhere.ask(token)).toBeDefined();
    await here.tenants.sessions.end(scope);
    expect(await here.ask(token)).toBeUndefined();
    const endedAt = performance.now();
    while (await elsewhere.ask(token)) {
      elsewhere.clock.ms = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (performance.now() - endedAt > 20_000) throw new Error('the session is still open');
    }
  });

  it('may read without the csrf token and write only with it', async () => {
    const { token } = await open();
    for (const method of ['GET', 'HEAD'])
      expect(await here.ask(token, 'standard', method, '')).not.toHaveProperty('refusal', expect.any(String));
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(await here.ask(token, 'standard', method, '')).toMatchObject({ refusal: expect.stringContaining('csrf') });
      expect(((await here.ask(token, 'standard', method)) as Scope).refusal).toBeUndefined();
    }
  });

  it('is pruned with the links when it has ended', async () => {
    await here.database.db.deleteFrom('sessions').execute();
    const { id } = await open();
    const { length: links } = await here.database.db.selectFrom('sign_in_links').selectAll().execute();
    expect(links).toBe(1);
    await here.tenants.sessions.prune();
    expect(await here.database.db.selectFrom('sessions').select('id').execute()).toEqual([{ id }]);
    setClocks(here.clock.ms + 25 * HOUR_MS);
    await here.tenants.sessions.prune();
    expect(await here.database.db.selectFrom('sessions').select('id').execute()).toEqual([]);
    expect(await here.database.db.selectFrom('sign_in_links').select('id').execute()).toEqual([]);
  });

  it('is refused for an unknown address after the same work as for a wrong password', async () => {
    // A server that an earlier file of the process started has lowered it, to less than what can be measured.
    lowerCostForTests(false);
    const { path } = await here.database.transaction((tx) => here.tenants.links.insert(tx, owner));
    await here.tenants.links.use(path.split('/').at(-1) ?? '', { password: 'correct horse battery' }, CLIENT);
    // All threads of this process, so the load of the machine hardly shows; what else they do can only add to it.
    const workOf = async (email: string) => {
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 3; i++) {
        const before = process.cpuUsage();
        expect((await here.tenants.sessions.identify(email, 'not the password')).isRight).toBe(false);
        // Their sum is exact; how a short time is divided between the two is a guess of the system.
        const { user, system } = process.cpuUsage(before);
        least = Math.min(least, user + system);
      }
      return least;
    };
    const [known, unknown] = [await workOf('owner@localhost'), await workOf('nobody@example.test')];
    expect(unknown).toBeGreaterThan(known / 2);
    expect(unknown).toBeLessThan(known * 2);
  });
});
