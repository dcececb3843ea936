import { beforeAll, beforeEach, expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { boxForTests } from '../../../test/support/secret-box.ts';
import { createAuditService } from '../../audit/index.ts';
import { createSignal, type Database } from '../../kit/db/index.ts';
import { createAuthenticator } from '../authenticate/authenticate.ts';
import type { Scope } from '../scope.ts';
import { csrfTokenOf } from '../sign-in/session-token.ts';
import type { Client, OpenedSession } from './sessions.ts';
import { createTenantService, type TenantService } from './tenant-service.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const COOKIE = 'tramontane_session';
const clock = { ms: 0 };
const now = () => clock.ms;
let database: Database;
let tenants: TenantService;
let flush: () => Promise<void>;
let ask: (token: string, asked?: { workspace?: string; from?: string; method?: string }) => Promise<Scope | undefined>;
let owner: { id: string; email: string };
let stranger: { id: string; email: string };

beforeAll(async () => {
  clock.ms = Date.now();
  database = await sqliteForTests().open();
  const keysSignal = createSignal(database, 'keys', now);
  const audit = createAuditService({ database, now });
  tenants = createTenantService({ box: boxForTests, database, audit, keysSignal, now });
  await tenants.createOrganization({ name: 'Ours', plan: 'team', ownerEmail: 'owner@x.test' });
  await tenants.createOrganization({ name: 'Theirs', plan: 'team', ownerEmail: 'stranger@x.test' });
  const find = (email: string) =>
    database.db.selectFrom('users').select(['id', 'email']).where('email', '=', email).executeTakeFirstOrThrow();
  [owner, stranger] = [await find('owner@x.test'), await find('stranger@x.test')];
  const authenticator = createAuthenticator(database, keysSignal, now);
  flush = authenticator.stop;
  ask = async (token, { workspace, from, method = 'GET' } = {}) => {
    const headers = {
      cookie: `${COOKIE}=${token}`,
      'x-csrf-token': csrfTokenOf(token),
      ...(workspace !== undefined && { 'x-tramontane-workspace': workspace }),
      ...(from !== undefined && { origin: from }),
    };
    const browser = { method, headers, host: 'localhost' };
    return authenticator.authenticate({ authorization: undefined, apiKey: undefined, browser }, 'standard');
  };
});
beforeEach(async () => {
  await database.db.deleteFrom('sessions').execute();
});

const open = (
  user = owner,
  client: Client = { address: '192.0.2.7', userAgent: 'a browser' },
): Promise<OpenedSession> => database.transaction((tx) => tenants.sessions.open(tx, user, client));

it('a user sees the own open sessions, and which of them is this one', async () => {
  const [first, second] = [await open(), await open(owner, { address: '192.0.2.8', userAgent: 'b\0'.repeat(1000) })];
  await open(stranger);
  const scope = (await ask(second.token)) as Scope;
  const listed = await tenants.sessions.list(scope);
  const byId = new Map(listed.map((session) => [session.id, session]));
  expect([...byId.keys()].sort()).toEqual([first.id, second.id].sort());
  expect(byId.get(first.id)).toMatchObject({ is_current: false, provider: null, address: '192.0.2.7' });
  expect(byId.get(second.id)).toMatchObject({ is_current: true, address: '192.0.2.8' });
  expect(byId.get(second.id)?.user_agent).toMatch(/^b+$/);
  clock.ms += DAY_MS;
  expect(await tenants.sessions.list(scope)).toEqual([]);
});

it('a user ends one of the own sessions and none of others', async () => {
  const [mine, other, theirs] = [await open(), await open(), await open(stranger)];
  const scope = (await ask(mine.token)) as Scope;
  const missing = expect.objectContaining({ code: 'session_not_found' });
  await expect(tenants.sessions.endOne(scope, theirs.id)).rejects.toEqual(missing);
  await tenants.sessions.endOne(scope, other.id);
  expect(await ask(other.token)).toBeUndefined();
  await expect(tenants.sessions.endOne(scope, other.id)).rejects.toEqual(missing);
  expect([await ask(mine.token), await ask(theirs.token)]).toEqual([expect.any(Object), expect.any(Object)]);
  expect(await tenants.sessions.isOpen(mine.id, owner.id)).toBe(true);
  expect(await tenants.sessions.isOpen(mine.id, stranger.id)).toBe(false);
  expect(await tenants.sessions.isOpen(other.id, owner.id)).toBe(false);
});

it('a new password keeps the session that set it, and signing out everywhere keeps none', async () => {
  const [kept, other, theirs] = [await open(), await open(), await open(stranger)];
  await database.transaction((tx) => tenants.sessions.endOthers(tx, owner.id, kept.id));
  expect(await ask(other.token)).toBeUndefined();
  const scope = (await ask(kept.token)) as Scope;
  await open();
  await tenants.sessions.endAll(scope);
  expect(await tenants.sessions.list(scope)).toEqual([]);
  expect(await ask(theirs.token)).toBeDefined();
  await database.transaction((tx) => tenants.sessions.endOfUser(tx, stranger.id));
  expect(await ask(theirs.token)).toBeUndefined();
});

it('a sign-in ends the session that the browser brought, and no other one', async () => {
  const [brought, other] = [await open(), await open()];
  await open(owner, { address: '', userAgent: '', token: brought.token });
  expect(await ask(brought.token)).toBeUndefined();
  expect(await ask(other.token)).toBeDefined();
});

it('a session stays open for a day after its last use, which is stored once a minute', async () => {
  const { id, token } = await open();
  const seen = async () => {
    await flush();
    const row = await database.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    return Date.parse(row.last_seen_at);
  };
  const openedMs = await seen();
  clock.ms += MINUTE_MS - 1;
  await ask(token);
  expect(await seen()).toBe(openedMs);
  clock.ms += 1;
  await ask(token);
  expect(await seen()).toBe(openedMs + MINUTE_MS);
  clock.ms += DAY_MS;
  expect(await ask(token)).toBeUndefined();
});

it('a page of another origin gets nothing from a session, whatever it asks', async () => {
  const { token } = await open();
  for (const method of ['GET', 'POST'])
    expect(await ask(token, { from: 'https://evil.test', method })).toMatchObject({
      refusal: expect.stringContaining('another origin'),
    });
  expect((await ask(token, { from: 'http://localhost', method: 'POST' }))?.refusal).toBeUndefined();
});

it('a session acts in the workspace it names, and names of others or of none are refused alike', async () => {
  const { token } = await open();
  const own = (await ask(token)) as Scope;
  expect(await ask(token, { workspace: own.workspace_id })).toMatchObject({ workspace_id: own.workspace_id });
  const theirs = await ask((await open(stranger)).token);
  const refusals = [];
  for (const workspace of [theirs?.workspace_id ?? '', 'nothing', `${own.workspace_id} x`, '../x', 'x'.repeat(65)]) {
    const found = await ask(token, { workspace });
    expect([workspace, found?.workspace_id, [...(found?.permissions ?? [])]]).toEqual([workspace, '', []]);
    refusals.push(found?.refusal);
  }
  expect(new Set(refusals).size).toBe(1);
});
