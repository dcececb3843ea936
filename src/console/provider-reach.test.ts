import { beforeAll, expect, it } from 'vitest';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { withinASecond } from '../../test/support/within-a-second.ts';
import { addOrganization } from '../admin/admin-for-tests.ts';
import { OPERATOR } from '../tenants/index.ts';
import { stepAt, totpAt } from '../tenants/sign-in/totp.ts';
import { openBrowser, PASSWORD, type TestBrowser } from './browser-for-tests.ts';
import { isSignedIn, type ProviderServer, startProviderServer } from './provider-for-tests.ts';

const ACCOUNT = '/console/api/account';
const EMAIL = 'ann@corp.test';
type Other = Awaited<ReturnType<typeof addOrganization>>;

/** Ann is an admin of three organizations, has a password and a second factor, and joined `corp`, which is of Default. */
onSqliteFirst('a session of a provider, of an account that has more', (database) => {
  let of: ProviderServer;
  let elsewhere: Other;
  let inviting: Other;
  let codes: string[];
  let id: string;
  /** Signed in with password and code. */
  let whole: TestBrowser;
  /** Signed in with the provider. */
  let bound: TestBrowser;
  beforeAll(async () => {
    of = await startProviderServer(database);
    const { tenants } = of.server.platform;
    elsewhere = await addOrganization(of.server, 'Elsewhere');
    inviting = await addOrganization(of.server, 'Inviting');
    for (const organization_id of [of.server.organizationId, elsewhere.id]) {
      const person = { email: EMAIL, first_name: 'Ann', last_name: 'Lee', roles: ['organization_admin'] } as const;
      const by = { organization_id, actor: OPERATOR };
      id = (await tenants.members.create(by, [person], { joinsExisting: true })).ids.get(EMAIL) ?? '';
    }
    whole = openBrowser(of.server);
    const by = { organization_id: elsewhere.id, actor: OPERATOR };
    expect((await whole.openLink((await tenants.links.create(by, id)).path)).status).toBe(200);
    const factor = await post(whole, `${ACCOUNT}/second-factor`, { password: PASSWORD });
    const code = totpAt((factor.body as { secret: string }).secret, stepAt(Date.now()));
    codes = ((await post(whole, `${ACCOUNT}/second-factor/confirm`, { code })).body as { recovery_codes: string[] })
      .recovery_codes;
    const start = `${ACCOUNT}/identities/corp`;
    expect((await post(whole, start, { password: PASSWORD })).status).toBe(403);
    const body = { password: PASSWORD, code: codes.pop() };
    expect((await of.signIn('ann', {}, { browser: whole, start, body })).to).toBe('/console/account');
    ({ browser: bound } = await of.signIn('ann'));
  });

  const post = (browser: TestBrowser, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    browser.ask(path, { method: 'POST', headers, ...(body !== undefined && { body }) });
  const inElsewhere = () => ({ 'x-tramontane-workspace': elsewhere.workspaceId });
  const idsOf = (body: unknown, list: string) => (body as Record<string, { id: string }[]>)[list]?.map((one) => one.id);
  const invite = async (organization: Other) => {
    const { body } = await of.server.admin<{ invite_links: { url: string }[] }>(
      ...(['POST', '/users-invite', { email: EMAIL }, organization.adminKey] as const),
    );
    return new URL(body.invite_links[0]?.url ?? '').pathname.replace('/console/link/', '/console/api/links/');
  };

  it('acts in the organization of the provider, with all rights of its user there', async () => {
    expect(bound.session?.organization.id).toBe(of.server.organizationId);
    expect((await bound.ask('/v1/models')).status).toBe(200);
    expect((await bound.ask('/v1/admin/users')).status).toBe(200);
    expect((await post(bound, '/console/api/keys', { name: 'of the session' })).status).toBe(200);
    const admin = await post(bound, '/console/api/admin-keys', { name: 'of the session' });
    const { value } = admin.body as { value: string };
    const members = await of.server.admin('GET', '/users', undefined, value);
    expect(members.text).toContain('owner@localhost');
    expect(members.text).not.toContain('owner@elsewhere.test');
  });

  it('is not shown another organization, nor a workspace of it', async () => {
    for (const path of ['/console/api/session', '/v1/users/me/organizations', '/v1/users/me/workspaces'])
      for (const hidden of [elsewhere.id, elsewhere.workspaceId, 'Elsewhere'])
        expect((await bound.ask(path)).text).not.toContain(hidden);
    const { body } = await bound.ask(`/v1/users/me/workspaces?organization_id=${elsewhere.id}`);
    expect(idsOf(body, 'workspaces')).toEqual([]);
    // A session with all factors sees them.
    expect((await whole.ask('/v1/users/me/organizations')).text).toContain(elsewhere.id);
    expect((await whole.ask('/console/api/session')).text).toContain(elsewhere.workspaceId);
  });

  it.each([
    ['the API', 'GET', '/v1/models', 403, undefined],
    ['its user', 'GET', '/v1/users/me', 403, undefined],
    ['the administrative API', 'GET', '/v1/admin/users', 403, undefined],
    ['keys of the administrative API', 'POST', '/v1/admin/api-keys', 403, { name: 'x' }],
    ['standard keys', 'POST', '/console/api/keys', 404, { name: 'x' }],
    ['admin keys', 'POST', '/console/api/admin-keys', 403, { name: 'x' }],
    ['limits', 'GET', '/console/api/limits', 403, undefined],
    ['the rules for signing in', 'PUT', '/console/api/sign-in-rules', 403, { second_factor: false, provider: 'corp' }],
    ['MCP', 'POST', '/mcp', 403, { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ['client tokens', 'POST', '/v1/client/sessions', 403, { purpose: 'realtime', model: 'ear' }],
    ['service accounts', 'GET', '/v1/service-accounts', 403, undefined],
  ])('has none of %s in a workspace of another organization', async (_, method, path, status, body) => {
    const options = { method, headers: { ...inElsewhere(), accept: 'application/json, text/event-stream' } };
    expect((await bound.ask(path, { ...options, ...(body && { body }) })).status).toBe(status);
    const keys = await of.server.platform.tenants.keys.list(elsewhere.id);
    expect(keys.filter(({ name }) => name === 'x')).toEqual([]);
  });

  it('is in no workspace where it asks for one of another organization', async () => {
    const { body } = await bound.ask('/console/api/session', { headers: inElsewhere() });
    expect(body).toMatchObject({ workspace_id: null, organization: { id: of.server.organizationId } });
    expect((body as { permissions: string[] }).permissions).not.toContain('console:administer');
  });

  it('joins no other organization: neither by a list, nor by the id, nor by the link of an invitation', async () => {
    const link = await invite(inviting);
    const { body } = await of.server.admin<{ invite_uuid: string; email: string }[]>(
      ...(['GET', '/users-invite', undefined, inviting.adminKey] as const),
    );
    const invitation = body.find(({ email }) => email === EMAIL)?.invite_uuid;
    await of.server.platform.database.db
      .updateTable('users')
      .set({ email_proven_at: new Date().toISOString() })
      .where('id', '=', id)
      .execute();
    expect((await bound.ask('/console/api/invitations')).status).toBe(403);
    for (const end of ['accept', 'decline']) {
      expect((await post(bound, `/console/api/invitations/${invitation}/${end}`)).status).toBe(403);
      expect((await post(bound, `${link}/${end}`)).status).toBe(403);
    }
    expect((await whole.ask('/console/api/invitations')).text).toContain(inviting.id);
    expect((await post(whole, `${link}/accept`)).status).toBe(200);
  });

  it('changes nothing of how its user signs in, not even with the password and a code', async () => {
    const proof = { password: PASSWORD, code: codes[0] };
    const refused: [string, string, unknown?][] = [
      ['POST', `${ACCOUNT}/password`, { password: PASSWORD, new_password: 'another horse battery' }],
      ['POST', `${ACCOUNT}/second-factor`, proof],
      ['POST', `${ACCOUNT}/second-factor/confirm`, { code: '123456' }],
      ['POST', `${ACCOUNT}/second-factor/recovery-codes`, proof],
      ['POST', `${ACCOUNT}/second-factor/remove`, proof],
      ['POST', `${ACCOUNT}/identities/labs`, proof],
      ['DELETE', `${ACCOUNT}/identities/corp`],
      ['PATCH', ACCOUNT, { name: 'Mallory' }],
      ['GET', '/console/api/sessions'],
      ['DELETE', '/console/api/sessions'],
    ];
    for (const [method, path, body] of refused) {
      const answer = await bound.ask(path, { method, ...(body !== undefined && { body }) });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    }
    const { body } = await whole.ask('/console/api/sessions');
    const [theirs] = idsOf(body, 'sessions') ?? [];
    expect((await bound.ask(`/console/api/sessions/${theirs}`, { method: 'DELETE' })).status).toBe(403);
    expect((await bound.ask(ACCOUNT)).status).toBe(200);
    expect(await isSignedIn(whole)).toBe(true);
    expect((await openBrowser(of.server).signIn(EMAIL, PASSWORD, codes.pop())).status).toBe(200);
  });

  it('does not make its browser one that the account knows, which may try more passwords', async () => {
    expect(whole.device).toContain('tramontane_device=');
    expect((await of.signIn('ann')).browser.device).toBe('');
  });

  it('ends where its user leaves the organization of the provider, and a new one is refused', async () => {
    await of.server.platform.tenants.members.remove({ organization_id: of.server.organizationId, actor: OPERATOR }, id);
    await withinASecond(async () => !(await isSignedIn(bound)));
    expect((await of.signIn('ann')).to).toBe('/console/sign-in?problem=no_organization');
    expect((await whole.ask('/v1/models', { headers: inElsewhere() })).status).toBe(200);
  });
});

onSqliteFirst('a session of a provider, of an account that has nothing else', (database) => {
  let of: ProviderServer;
  beforeAll(async () => {
    of = await startProviderServer(database);
  });

  it('changes the account, whose owner it is, until the account belongs to another organization too', async () => {
    const { browser } = await of.signIn('ann');
    const rename = () => browser.ask(ACCOUNT, { method: 'PATCH', body: { name: 'Ann Other' } });
    expect((await rename()).status).toBe(204);
    expect((await browser.ask('/console/api/sessions')).status).toBe(200);
    const other = await addOrganization(of.server, 'Elsewhere');
    const person = { email: EMAIL, first_name: 'Ann', last_name: 'Lee', roles: ['member'] } as const;
    const by = { organization_id: other.id, actor: OPERATOR };
    await of.server.platform.tenants.members.create(by, [person], { joinsExisting: true });
    await withinASecond(async () => (await rename()).status === 403);
    expect((await browser.ask('/v1/users/me/organizations')).text).not.toContain(other.id);
  });

  it('accepts no invitation of another organization, where its provider could then act', async () => {
    const { browser } = await of.signIn('bo');
    const other = await addOrganization(of.server, 'Inviting');
    const { body } = await of.server.admin<{ invite_links: { url: string }[] }>(
      ...(['POST', '/users-invite', { email: 'bo@corp.test' }, other.adminKey] as const),
    );
    const path = new URL(body.invite_links[0]?.url ?? '').pathname.replace('/console/link/', '/console/api/links/');
    expect((await browser.ask(`${path}/accept`, { method: 'POST' })).status).toBe(403);
  });
});
