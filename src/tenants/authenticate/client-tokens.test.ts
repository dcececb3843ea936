import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { boxForTests } from '../../../test/support/secret-box.ts';
import { createAuditService } from '../../audit/index.ts';
import { createSignal, type Database, type Signal } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { createTenantService, type TenantService } from '../service/tenant-service.ts';
import { type Authenticator, createAuthenticator } from './authenticate.ts';
import { checkClientModel } from './client-tokens.ts';

const MINUTE_MS = 60_000;
const clock = { ms: 0 };
const now = () => clock.ms;
let database: Database;
let keysSignal: Signal;
let tenants: TenantService;
let authenticator: Authenticator;
let key: { id: string; value: string };
let maker: Scope;

beforeAll(async () => {
  clock.ms = Date.now();
  database = await sqliteForTests().open();
  keysSignal = createSignal(database, 'keys', now);
  const audit = createAuditService({ database, now });
  tenants = createTenantService({ box: boxForTests, database, audit, keysSignal, now });
  await tenants.bootstrap({ ownerEmail: 'owner@localhost' });
  authenticator = createAuthenticator(database, keysSignal, now);
  await keysSignal.start();
  await authenticator.start();
});
beforeEach(async () => {
  clock.ms = Math.ceil(Date.now() / 1000) * 1000;
  key = await tenants.keys.create({ kind: 'standard' });
  maker = (await ask(key.value)) as Scope;
});
afterAll(async () => {
  await authenticator.stop();
  await keysSignal.stop();
  await database.close();
});

const ask = async (value: string, surface: 'standard' | 'live' = 'standard') =>
  authenticator.authenticate({ authorization: `Bearer ${value}`, apiKey: undefined }, surface);
const issue = (scope = maker) => authenticator.clientTokens.issue(scope, 'voice-small', (clock.ms + MINUTE_MS) / 1000);
const setRole = (role: 'dev' | 'billing') =>
  database.transaction(async (tx) => {
    await tx.updateTable('workspace_members').set({ role }).execute();
    await tx.updateTable('organization_members').set({ role: 'member' }).execute();
    await keysSignal.raise(tx);
  });

it('a client token opens live speech of one model, in the workspace of its maker, and nothing else', async () => {
  const token = await issue();
  expect(await ask(token, 'live')).toMatchObject({
    key_id: key.id,
    user_id: maker.user_id,
    workspace_id: maker.workspace_id,
    permissions: new Set(['speech:write', 'transcriptions:write']),
    client_model: 'voice-small',
  });
  expect(await ask(token)).toBeUndefined();
  expect(await ask(key.value, 'live')).toEqual(maker);
});

it('a client token ends at its time, to the millisecond', async () => {
  const token = await issue();
  clock.ms += MINUTE_MS - 1;
  expect(await ask(token, 'live')).toBeDefined();
  clock.ms++;
  expect(await ask(token, 'live')).toBeUndefined();
});

it('a client token ends with the key that made it; that of a session is for its user', async () => {
  const [ofKey, ofSession] = [await issue(), await issue({ ...maker, session_id: 'a-session' })];
  await tenants.keys.revoke(key.id);
  await expect(ask(ofKey, 'live')).rejects.toThrow('its API key was revoked');
  expect(await ask(ofSession, 'live')).toMatchObject({ session_id: 'a-session', user_id: maker.user_id });
});

it('a client token holds in every process of its database, and in that of no other', async () => {
  const token = await issue();
  const { clientTokens } = createAuthenticator(database, keysSignal, now);
  expect(await clientTokens.scopeOf(token)).toBeDefined();
  const other = await sqliteForTests().open();
  expect(await createAuthenticator(other, keysSignal, now).clientTokens.scopeOf(token)).toBeUndefined();
});

it('a client token that was changed in any part is refused', async () => {
  const token = await issue();
  const [text = '', mac = ''] = token.slice('client-'.length).split('.');
  const content = JSON.parse(Buffer.from(text, 'base64url').toString());
  const forged = Buffer.from(JSON.stringify({ ...content, m: 'voice-large' })).toString('base64url');
  const changed = [
    `${forged}.${mac}`,
    `${text}.${mac.slice(0, -4)}`,
    `${text}.${mac}AAAA`,
    `${text}.${mac}.`,
    text,
    '',
  ];
  for (const wrong of changed) expect([wrong, await ask(`client-${wrong}`, 'live')]).toEqual([wrong, undefined]);
});

it('a client token is for its model alone; keys are for all', () => {
  const scope = { ...maker, client_model: 'voice-small' };
  expect(checkClientModel(scope, 'voice-small')).toBeUndefined();
  for (const other of ['voice-large', undefined])
    expect(() => checkClientModel(scope, other)).toThrow(expect.objectContaining({ code: 'client_token_model' }));
  expect(checkClientModel(maker, 'voice-large')).toBeUndefined();
});

it('a client token has no permission that its maker lost', async () => {
  const token = await issue();
  await setRole('billing');
  expect(await ask(token, 'live')).toMatchObject({ permissions: new Set() });
});
