import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerLate } from '../../../test/support/answer-late.ts';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { boxForTests } from '../../../test/support/secret-box.ts';
import { withinASecond } from '../../../test/support/within-a-second.ts';
import { createAuditService } from '../../audit/index.ts';
import { createSignal, type Database } from '../../kit/db/index.ts';
import type { Scope, Surface } from '../../kit/http/index.ts';
import { isWellFormed, makeKey } from '../make-key.ts';
import { createTenantService } from '../service/tenant-service.ts';
import { createAuthenticator } from './authenticate.ts';

type Process = Awaited<ReturnType<typeof openProcess>>;

/** One process of the platform; its queries are counted at the border to the database. */
async function openProcess(database: Database) {
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
  const authenticate = async (key: string, surface: Surface = 'standard') =>
    (await authenticator.authenticate({ authorization: `Bearer ${key}`, apiKey: undefined }, surface)) as
      | Scope
      | undefined;
  return { database, clock, keysSignal, tenants, authenticator, authenticate };
}

onEachDatabase('a key', (test) => {
  let here: Process;
  let elsewhere: Process;
  let key: string;
  beforeAll(async () => {
    here = await openProcess(await test.open());
    elsewhere = await openProcess(await test.open());
    const made = await here.tenants.bootstrap({ ownerEmail: 'owner@localhost' });
    key = made.created ? made.apiKey : '';
    for (const { keysSignal, authenticator } of [here, elsewhere]) {
      await keysSignal.start();
      await authenticator.start();
    }
  });
  beforeEach(async () => {
    for (const { clock } of [here, elsewhere]) clock.ms = Date.now();
  });
  afterAll(async () => {
    for (const { keysSignal, authenticator, database } of [here, elsewhere]) {
      await authenticator.stop();
      await keysSignal.stop();
      await database.close();
    }
  });

  async function createKey(options: { admin?: boolean; expiresAt?: string; value?: string } = {}) {
    const { db } = here.database;
    const organization = await db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow();
    const workspace = await db.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow();
    const user = await db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    const input = {
      organization,
      workspace,
      user,
      name: 'test',
      value: options.value,
      expiresAt: options.expiresAt ?? null,
    };
    return here.database.transaction((tx) =>
      options.admin ? here.tenants.keys.insertAdmin(tx, input) : here.tenants.keys.insertStandard(tx, input),
    );
  }

  it('opens one workspace of one organization [TENANTS-KEY-WORKSPACE]', async () => {
    const scope = await here.authenticate(key);
    const workspace = await here.database.db.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow();
    expect(scope).toMatchObject({
      kind: 'standard',
      workspace_id: workspace.id,
      organization_id: workspace.organization_id,
    });
  });

  it('is answered from memory once it was seen: no query', async () => {
    const ask = () =>
      here.authenticator.authenticate({ authorization: `Bearer ${key}`, apiKey: undefined }, 'standard');
    // The cache is used only while the signal is young, which it may not be on a slow machine.
    await expect
      .poll(
        async () => {
          here.clock.ms = Date.now();
          await here.authenticate(key);
          return ask();
        },
        { timeout: 20_000 },
      )
      .toMatchObject({ kind: 'standard' });
    expect(ask()).not.toBeInstanceOf(Promise);
  });

  it('with a typo is refused without a database read', () => {
    const typo = key.slice(0, 10) + (key[10] === 'a' ? 'b' : 'a') + key.slice(11);
    expect(
      here.authenticator.authenticate({ authorization: `Bearer ${typo}`, apiKey: undefined }, 'standard'),
    ).toBeUndefined();
  });

  it('that was never issued is refused although it is well-formed', async () => {
    expect(await here.authenticate(makeKey('standard'))).toBeUndefined();
  });

  it.each(['', 'Bearer', 'Bearer ', 'Basic abc', 'bearer  a b', 'Token x'])(
    'in a header %j is refused',
    (authorization) => {
      expect(here.authenticator.authenticate({ authorization, apiKey: undefined }, 'standard')).toBeUndefined();
    },
  );

  it.each(['Bearer', 'bearer', 'BEARER  '])('after %j is accepted', async (word) => {
    const credentials = { authorization: `${word} ${key}`, apiKey: undefined };
    expect(await here.authenticator.authenticate(credentials, 'standard')).toMatchObject({ kind: 'standard' });
  });

  it('is accepted in x-api-key too, for the clients that send it there [AUTH-X-API-KEY]', async () => {
    const admin = await createKey({ admin: true });
    expect(
      await here.authenticator.authenticate({ authorization: undefined, apiKey: admin.value }, 'admin'),
    ).toMatchObject({ kind: 'admin' });
    expect(await here.authenticator.authenticate({ authorization: undefined, apiKey: key }, 'standard')).toMatchObject({
      kind: 'standard',
    });
  });

  it('of the wrong kind opens nothing, whatever the role of its owner [AUTH-WRONG-KIND] [TENANTS-STANDARD-NO-ADMIN] [TENANTS-ADMIN-NOT-STANDARD]', async () => {
    const admin = await createKey({ admin: true });
    expect(await here.authenticate(key, 'admin')).toBeUndefined();
    expect(await here.authenticate(admin.value, 'standard')).toBeUndefined();
    expect(await here.authenticate(admin.value, 'admin')).toBeDefined();
  });

  it('for administration belongs to one organization and to no workspace [TENANTS-ADMIN-KEY-ORGANIZATION]', async () => {
    const other = await here.tenants.createOrganization({
      name: 'Other',
      plan: 'enterprise',
      ownerEmail: 'other@localhost',
    });
    const admin = await createKey({ admin: true });
    const scope = await here.authenticate(admin.value, 'admin');
    expect(scope?.organization_id).not.toBe(other.id);
    expect(scope?.workspace_id).toBe('');
  });

  it('stops at its expiry, even when it was cached', async () => {
    const { value } = await createKey({ expiresAt: new Date(here.clock.ms + 60_000).toISOString() });
    expect(await here.authenticate(value)).toBeDefined();
    here.clock.ms += 60_000;
    expect(await here.authenticate(value)).toBeUndefined();
  });

  it('that was revoked is refused at once here, and within a second elsewhere [AUTH-REVOKED]', async () => {
    const { id, value } = await createKey();
    expect(await here.authenticate(value)).toBeDefined();
    expect(await elsewhere.authenticate(value)).toBeDefined();
    await here.tenants.keys.revoke(id);
    expect(await here.authenticate(value)).toBeUndefined();
    await withinASecond(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      elsewhere.clock.ms = Date.now();
      return (await elsewhere.authenticate(value)) === undefined;
    });
  });

  it('that was revoked is not admitted by an older read that is still running', async () => {
    const { id, value } = await createKey();
    const slow = answerLate(elsewhere.database);
    const process = await openProcess(slow.database);
    const first = process.authenticate(value);
    await slow.asked;
    await here.tenants.keys.revoke(id);
    process.clock.ms += 1000;
    const second = process.authenticate(value);
    slow.arrive();
    expect(await first).toBeDefined();
    expect(await second).toBeUndefined();
    await process.keysSignal.stop();
  });

  it('is not answered from memory while the signal is older than a second', async () => {
    await here.authenticate(key);
    here.clock.ms += 10_000;
    expect(
      here.authenticator.authenticate({ authorization: `Bearer ${key}`, apiKey: undefined }, 'standard'),
    ).toBeInstanceOf(Promise);
  });

  it('of any format may come from the environment', async () => {
    for (const value of ['plain-words-without-prefix-0123456789', `tmk_${'x'.repeat(46)}`]) {
      expect(isWellFormed(value)).toBe(false);
      await createKey({ value });
      await here.authenticator.start();
      expect(await here.authenticate(value)).toBeDefined();
    }
  });

  it('is stored only as a hash, and nothing can show it again [TENANTS-KEY-SHOWN-ONCE] [TENANTS-KEY-LOST]', async () => {
    const { value } = await createKey();
    const rows = await here.database.db.selectFrom('api_keys').selectAll().execute();
    const logs = await here.database.db.selectFrom('audit_logs').selectAll().execute();
    expect(JSON.stringify([rows, logs, await here.tenants.keys.list()])).not.toContain(value.slice(0, -4));
  });

  it('stores when it was last used', async () => {
    const { id, value } = await createKey();
    await here.authenticate(value);
    await here.authenticator.stop();
    const row = await here.database.db
      .selectFrom('api_keys')
      .select('last_used_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(Date.parse(row.last_used_at ?? '')).toBeGreaterThan(Date.now() - 60_000);
    await here.authenticator.start();
  });

  describe('and the access of its owner', () => {
    it('is exactly what the roles of its user in its workspace give [TENANTS-KEY-ACCESS]', async () => {
      const { value } = await createKey();
      const before = await here.authenticate(value);
      expect(before?.permissions.has('chat:write')).toBe(true);
      const { user_id, workspace_id, organization_id } = before as Scope;
      await here.database.transaction(async (tx) => {
        await tx
          .updateTable('workspace_members')
          .set({ role: 'billing' })
          .where('user_id', '=', user_id)
          .where('workspace_id', '=', workspace_id)
          .execute();
        await tx
          .updateTable('organization_members')
          .set({ role: 'member' })
          .where('user_id', '=', user_id)
          .where('organization_id', '=', organization_id)
          .execute();
        await here.keysSignal.raise(tx);
      });
      const after = await here.authenticate(value);
      expect([...(after?.permissions ?? [])].sort()).toEqual(['identity:read', 'mcp:use', 'models:read']);
    });
  });
});
