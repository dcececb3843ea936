import { setImmediate as nextRound } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { boxForTests } from '../../../test/support/secret-box.ts';
import { createAuditService } from '../../audit/index.ts';
import { createSignal, type Database, type Signal } from '../../kit/db/index.ts';
import type { ApiError, OpenWork, Scope } from '../../kit/http/index.ts';
import { createTenantService, type TenantService } from '../service/tenant-service.ts';
import { type Authenticator, createAuthenticator } from './authenticate.ts';

onEachDatabase('the authority of stored work', (test) => {
  let database: Database;
  let keysSignal: Signal;
  let tenants: TenantService;
  let authenticator: Authenticator;
  beforeAll(async () => {
    database = await test.open();
    keysSignal = createSignal(database, 'keys', Date.now);
    const audit = createAuditService({ database, now: Date.now });
    tenants = createTenantService({ box: boxForTests, database, audit, keysSignal, now: Date.now });
    await tenants.bootstrap({ ownerEmail: 'owner@localhost' });
    authenticator = createAuthenticator(database, keysSignal, Date.now);
    await keysSignal.start();
    await authenticator.start();
  });
  afterAll(async () => {
    await authenticator.stop();
    await keysSignal.stop();
    await database.close();
  });

  /** A new key and what a job would store of it. */
  async function createHolder() {
    const { id, value } = await tenants.keys.create({ kind: 'standard' });
    const credentials = { authorization: `Bearer ${value}`, apiKey: undefined };
    const scope = (await authenticator.authenticate(credentials, 'standard')) as Scope;
    return { id, holder: { ...scope, permissions: [...scope.permissions] }, scope };
  }

  it('is answered from memory once it was seen, with the scope of the key', async () => {
    const { holder, scope } = await createHolder();
    const look = () => authenticator.authority.scopeOf(holder, 'batch:write');
    await expect
      .poll(async () => {
        await look();
        return look() instanceof Promise;
      })
      .toBe(false);
    expect(look()).toEqual(scope);
  });

  it('that cannot be read is refused once, and ends no process', async () => {
    const unheard: unknown[] = [];
    const listen = (reason: unknown) => void unheard.push(reason);
    process.on('unhandledRejection', listen);
    try {
      const stored = JSON.parse('{"user_id":"u","workspace_id":"w"}');
      await expect(async () => authenticator.authority.scopeOf(stored, 'batch:write')).rejects.toMatchObject({
        code: 'authentication_unavailable',
      });
      await nextRound();
      expect(unheard).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });

  it('does not come from the permissions that were stored with it', async () => {
    const { id, holder } = await createHolder();
    await tenants.keys.revoke(id);
    await expect(async () => authenticator.authority.scopeOf(holder, 'batch:write')).rejects.toThrow(
      'This ended because its API key was revoked.',
    );
  });

  it('of a schedule from an earlier program, which stored no key, is that of its user', async () => {
    const { id, scope } = await createHolder();
    await tenants.keys.revoke(id);
    const { user_id, workspace_id } = scope;
    const holder = { key_id: null, user_id, workspace_id };
    expect(await authenticator.authority.scopeOf(holder, 'workflows:execute')).toMatchObject({ user_id, workspace_id });
    const stranger = { ...holder, user_id: '0198c0de-0000-7000-8000-000000000001' };
    expect(await authenticator.authority.refusalOf(stranger, 'workflows:execute')).toMatchObject({
      code: 'access_lost',
      message: 'This ended because its user is no longer a member of the organization.',
    });
  });

  it('is looked at when work begins after the change that took it', async () => {
    const { id, scope } = await createHolder();
    const seen = authenticator.authority.changes();
    await tenants.keys.revoke(id);
    const { promise: ended, resolve } = Promise.withResolvers<ApiError>();
    const work: OpenWork = { scope, permission: 'batch:write', again: () => undefined, end: resolve };
    authenticator.authority.open(work, seen);
    expect(await ended).toMatchObject({ status: 401, code: 'access_lost' });
  });

  it('is looked at again when the database was away', async () => {
    const { scope } = await createHolder();
    const { promise: ended, resolve } = Promise.withResolvers<ApiError>();
    let looks = 0;
    const again = async () => {
      if (++looks === 1) throw new Error('the database is away');
      return { ...scope, permissions: new Set<string>() };
    };
    const work: OpenWork = {
      scope: { ...scope, session_id: 'of a browser' },
      permission: 'batch:write',
      again,
      end: resolve,
    };
    authenticator.authority.open(work, -1);
    expect(await ended).toMatchObject({ status: 403, code: 'permission_lost' });
    expect(looks).toBe(2);
  });

  it('is of no interest once the work is done', async () => {
    const { id, holder } = await createHolder();
    const ends: ApiError[] = [];
    const follow = () => authenticator.authority.follow(holder, 'batch:write', (reason) => void ends.push(reason));
    const [done, open] = [follow(), follow()];
    done();
    await tenants.keys.revoke(id);
    await expect.poll(() => ends.length).toBe(1);
    open();
    done();
    expect(ends).toMatchObject([{ code: 'access_lost' }]);
  });

  it('sees the organization of its workspace alone, also where a session that sees others asked for it', async () => {
    const { holder, scope } = await createHolder();
    const other = await tenants.createOrganization({ name: 'Other', plan: 'team', ownerEmail: 'owner@other.test' });
    const by = { organization_id: other.id, actor: { type: 'OTHER', metadata: {} } } as const;
    const person = { email: scope.identity.email ?? '', first_name: 'Olga', last_name: 'Owner', roles: [] };
    await tenants.members.create(by, [{ ...person, roles: ['member'] }], { joinsExisting: true });
    const stored = { ...holder, key_id: null, session_id: 'a session' };
    const found = await authenticator.authority.scopeOf(stored, 'batch:write');
    const page = { offset: 0, limit: 10 };
    expect((await tenants.myOrganizations(found, page)).map(({ id }) => id)).toEqual([scope.organization_id]);
    for (const { organization_id } of await tenants.myWorkspaces(found, page))
      expect(organization_id).toBe(scope.organization_id);
  });
});
