import { beforeAll, beforeEach, expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { boxForTests } from '../../../test/support/secret-box.ts';
import { createAuditService } from '../../audit/index.ts';
import { createSignal, type Database } from '../../kit/db/index.ts';
import { createAuthenticator } from '../authenticate/authenticate.ts';
import { type Caller, OPERATOR } from '../caller.ts';
import type { Scope } from '../scope.ts';
import { createTenantService, type TenantService } from './tenant-service.ts';

const HOUR_MS = 3_600_000;
const clock = { ms: 0 };
const now = () => clock.ms;
const inAnHour = () => new Date(clock.ms + HOUR_MS).toISOString();
let database: Database;
let tenants: TenantService;
let authenticate: (value: string) => Promise<Scope | undefined>;
let announced: object[];
let caller: Caller;
let stranger: Caller;
let workspaceId: string;
let userId: string;

beforeAll(async () => {
  clock.ms = Date.now();
  database = await sqliteForTests().open();
  const keysSignal = createSignal(database, 'keys', now);
  const audit = createAuditService({ database, now });
  const announce = async (_tx: unknown, event: object) => void announced.push(event);
  tenants = createTenantService({ box: boxForTests, database, audit, keysSignal, now, announce });
  const { authenticate: ask } = createAuthenticator(database, keysSignal, now);
  authenticate = async (value) => ask({ authorization: `Bearer ${value}`, apiKey: undefined }, 'standard');
});
beforeEach(async () => {
  announced = [];
  const create = (name: string) => tenants.createOrganization({ name, plan: 'team', ownerEmail: `${name}@x.test` });
  const suffix = crypto.randomUUID().slice(0, 8);
  const [ours, theirs] = [await create(`ours-${suffix}`), await create(`theirs-${suffix}`)];
  caller = { organization_id: ours.id, actor: OPERATOR };
  stranger = { organization_id: theirs.id, actor: OPERATOR };
  workspaceId = (await tenants.listWorkspaces(ours.id))[0]?.id ?? '';
  userId = (await tenants.members.list(ours.id, { offset: 0, limit: 1 })).members[0]?.id ?? '';
});

type Wishes = Partial<Parameters<TenantService['keys']['createStandard']>[1]>;
const create = (wishes: Wishes = {}) =>
  tenants.keys.createStandard(caller, { workspaceId, userId, name: 'robot', expiresAt: null, ...wishes });
const refusal = (code: string) => expect.objectContaining({ code });

it('a key is chosen by its id, or by its name while it is in use; the operator sees its state', async () => {
  const [old, used] = [await create(), await create()];
  await expect(tenants.keys.choose('robot', caller.organization_id)).rejects.toThrow("named 'robot'");
  await tenants.keys.revoke(old.id);
  expect(await tenants.keys.choose('robot', caller.organization_id)).toMatchObject({ id: used.id, state: 'active' });
  expect(await tenants.keys.choose(old.id, caller.organization_id)).toMatchObject({ id: old.id, state: 'revoked' });
  const unnamed = await create({ name: ' ', expiresAt: inAnHour() });
  expect(await tenants.keys.choose(`…${unnamed.hint}`, caller.organization_id)).toMatchObject({ name: null });
  clock.ms += HOUR_MS;
  expect(await tenants.keys.choose(unnamed.id, caller.organization_id)).toMatchObject({ state: 'expired' });
  const { id: adminId } = await tenants.keys.createAdmin(caller, { name: 'boss', expiresAt: null });
  for (const none of ['boss', adminId, used.value])
    await expect(tenants.keys.choose(none, caller.organization_id)).rejects.toThrow(`There is no key '${none}'`);
  await expect(tenants.keys.choose('robot', stranger.organization_id)).rejects.toThrow('There is no key here.');
});

it('a list of keys shows those of one organization or all, oldest first, and no value or hash', async () => {
  const first = await create({ name: ' first ' });
  clock.ms++;
  const second = await create();
  const listed = await tenants.keys.list(caller.organization_id);
  expect(listed.map(({ id, name }) => [id, name])).toEqual([
    [first.id, 'first'],
    [second.id, 'robot'],
  ]);
  expect(listed[0]).not.toHaveProperty('hash');
  expect((await tenants.keys.list()).length).toBeGreaterThan(2);
});

it('a key that would have ended already is not made, of whatever kind', async () => {
  const expiresAt = new Date(clock.ms).toISOString();
  const organization = caller.organization_id;
  const past = refusal('key_expiry_in_past');
  await expect(create({ expiresAt })).rejects.toEqual(past);
  await expect(tenants.keys.create({ kind: 'standard', organization, expiresAt })).rejects.toEqual(past);
  await expect(tenants.keys.createAdmin(caller, { name: null, expiresAt })).rejects.toEqual(past);
  expect(await tenants.keys.list(organization)).toEqual([]);
  expect(await create({ expiresAt: new Date(clock.ms + 1).toISOString() })).toMatchObject({ revoked_at: null });
});

it('a key is made for a member with a role in a workspace in use, both of the organization', async () => {
  const elsewhere = (await tenants.listWorkspaces(stranger.organization_id))[0]?.id ?? '';
  await expect(create({ workspaceId: elsewhere })).rejects.toEqual(refusal('workspace_not_found'));
  const [outsider] = (await tenants.members.list(stranger.organization_id, { offset: 0, limit: 1 })).members;
  await expect(create({ userId: outsider?.id ?? '' })).rejects.toEqual(refusal('user_not_found'));
  const person = { email: `bo-${userId}@x.test`, first_name: 'Bo', last_name: 'B', roles: ['member' as const] };
  await tenants.members.create(caller, [person]);
  const bo = await tenants.members.choose(caller.organization_id, person.email);
  await expect(create({ userId: bo.id })).rejects.toEqual(refusal('key_without_role'));
  await database.db.updateTable('workspaces').set({ archived_at: inAnHour() }).where('id', '=', workspaceId).execute();
  await expect(create()).rejects.toEqual(refusal('workspace_archived'));
  const lost = { ...caller, organization_id: 'lost' };
  await expect(tenants.keys.createAdmin(lost, { name: null, expiresAt: null })).rejects.toEqual(
    refusal('organization_not_found'),
  );
});

it('a service account has keys in its own workspace before it has a role, and in no other', async () => {
  const scope = (await authenticate((await create()).value)) as Scope;
  const input = { name: 'ci', workspaceId, description: null, roles: [] };
  const account = await tenants.serviceAccounts.create(scope, input);
  const key = await create({ userId: account.id });
  expect(await authenticate(key.value)).toMatchObject({
    service_account: 'ci',
    identity: { email: null },
    permissions: new Set(['identity:read']),
  });
  const byName = { kind: 'standard', organization: caller.organization_id, user: 'ci' } as const;
  expect(await tenants.keys.create(byName)).toMatchObject({ user: { id: account.id } });
  const other = await tenants.workspaces.create(caller, {
    name: 'Lab',
    description: '',
    icon: '',
    adminId: userId,
    addsEverybody: false,
  });
  await expect(create({ userId: account.id, workspaceId: other.id })).rejects.toEqual(refusal('key_without_role'));
});

it('a key with a list of models or tools is for these; without one it is for all', async () => {
  const limited = await create({ allowedModels: ['small'], allowedTools: [] });
  expect(await authenticate(limited.value)).toMatchObject({ allowed_models: ['small'], allowed_tools: [] });
  const free = await authenticate((await create()).value);
  expect(free).not.toHaveProperty('allowed_models');
  expect(free).not.toHaveProperty('allowed_tools');
});

it('a key is revoked once, and only by its organization and as what it is', async () => {
  const { id, value } = await create();
  const missing = refusal('api_key_not_found');
  await expect(tenants.keys.revokeStandard(stranger, id)).rejects.toEqual(missing);
  await expect(tenants.keys.revokeAdmin(caller, id)).rejects.toEqual(refusal('admin_key_not_found'));
  expect(await authenticate(value)).toBeDefined();
  await tenants.keys.revokeStandard(caller, id);
  expect(await authenticate(value)).toBeUndefined();
  await expect(tenants.keys.revokeStandard(caller, id)).rejects.toEqual(missing);
  const revoked = await tenants.keys.revoke(id);
  expect(revoked?.revoked_at).not.toBeNull();
  clock.ms++;
  expect(await tenants.keys.revoke(id)).toEqual(revoked);
  expect(await tenants.keys.revoke('nothing')).toBeUndefined();
  const admin = await tenants.keys.createAdmin(caller, { name: 'boss', expiresAt: null });
  await expect(tenants.keys.revokeStandard(caller, admin.id)).rejects.toEqual(missing);
  await tenants.keys.revokeAdmin(caller, admin.id);
});

it('a value is known whether its key was revoked or not, and is never stored', async () => {
  const { id, value, hint } = await create();
  await tenants.keys.revoke(id);
  expect(await tenants.keys.isKnown(value)).toBe(true);
  expect(await tenants.keys.isKnown(`${value}x`)).toBe(false);
  expect(await tenants.keys.identify(value)).toMatchObject({ id });
  expect(value.endsWith(hint)).toBe(true);
});

it('what happens to keys is in the audit log of the organization, and a new key is announced', async () => {
  const standard = await create();
  const admin = await tenants.keys.createAdmin(caller, { name: null, expiresAt: null });
  await tenants.keys.revokeStandard(caller, standard.id);
  await tenants.keys.revokeAdmin(caller, admin.id);
  const query = database.db.selectFrom('audit_logs').select(['event_type', 'target_type', 'target_metadata']);
  const entries = await query.where('organization_id', '=', caller.organization_id).orderBy('log_id').execute();
  const ofKeys = entries.filter(({ target_type }) => /API_KEY$/.test(target_type ?? ''));
  expect(ofKeys.map(({ event_type, target_type }) => [event_type, target_type])).toEqual([
    ['api_key.create', 'API_KEY'],
    ['admin_api_key.created', 'ADMIN_API_KEY'],
    ['api_key.delete', 'API_KEY'],
    ['admin_api_key.delete', 'ADMIN_API_KEY'],
  ]);
  expect(announced).toMatchObject([
    {
      type: 'key.created',
      workspace_id: workspaceId,
      data: { key_id: standard.id, kind: 'standard', user_id: userId },
    },
    { type: 'key.created', workspace_id: null, data: { key_id: admin.id, kind: 'admin', user_id: null } },
  ]);
});
