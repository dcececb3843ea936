import { beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { type AdminServer, addOrganization, startAdminServer } from '../admin/admin-for-tests.ts';
import { OPERATOR } from '../tenants/index.ts';
import { openBrowser, PASSWORD, type TestBrowser } from './browser-for-tests.ts';

type Other = Awaited<ReturnType<typeof addOrganization>>;

/** A is the attacker's organization, B the one that must stay closed to an account that A's admin made. */
onEachDatabase('an account and a second organization', (database) => {
  let server: AdminServer;
  let a: Other;
  let b: Other;
  beforeAll(async () => {
    server = await startAdminServer(database);
    a = await addOrganization(server, 'Attackers');
    b = await addOrganization(server, 'Bank');
  });

  const by = ({ id }: Other) => ({ organization_id: id, actor: OPERATOR });
  const linkOf = async (organization: Other, email: string, more: Record<string, unknown> = {}) => {
    const { body } = await server.admin<{ invite_links: { url: string }[] }>(
      'POST',
      '/users-invite',
      { email, ...more },
      organization.adminKey,
    );
    return new URL(body.invite_links[0]?.url ?? '').pathname;
  };
  /** The admin of A invites a stranger, reads the link and sets the password. */
  const squat = async (email: string): Promise<TestBrowser> => {
    const browser = openBrowser(server);
    const path = await linkOf(a, email, { workspace_uuids: [a.workspaceId] });
    expect((await browser.openLink(path, { name: 'Mallory' })).status).toBe(200);
    return browser;
  };
  const addTo = async (organization: Other, email: string) => {
    const person = { email, first_name: 'Vera', last_name: 'Real', role_names: ['organization_admin'] };
    const { body } = await server.admin<{ email_to_user_id: Record<string, string> }>(
      'POST',
      '/users',
      [person],
      organization.adminKey,
    );
    return body.email_to_user_id[email] ?? '';
  };
  /** The ids of the organizations that the browser can enter, by every way that tells. */
  const organizationsOf = async (browser: TestBrowser) => {
    const { body } = await browser.ask('/v1/users/me/organizations');
    return (body as { organizations: { id: string }[] }).organizations?.map(({ id }) => id) ?? [];
  };
  const api = (path: string) => path.replace('/console/link/', '/console/api/links/');
  const prove = (email: string) =>
    server.platform.database.db
      .updateTable('users')
      .set({ email_proven_at: new Date().toISOString() })
      .where('email', '=', email)
      .execute();
  const enter = (browser: TestBrowser, { workspaceId }: Other) =>
    browser.ask('/v1/users/me', { headers: { 'x-tramontane-workspace': workspaceId } });

  it('made by an admin of A is not in B when B adds its address, with whatever role', async () => {
    const mallory = await squat('vera@example.test');
    const vera = await addTo(b, 'vera@example.test');
    await server.admin(
      'POST',
      `/workspaces/${b.workspaceId}/add-users`,
      { members: [{ user_uuid: vera }] },
      b.adminKey,
    );
    for (const browser of [mallory, openBrowser(server)]) {
      if (!browser.session) expect((await browser.signIn('vera@example.test')).status).toBe(200);
      expect(await organizationsOf(browser)).not.toContain(b.id);
      expect(browser.session?.workspaces.map(({ organization_id }) => organization_id)).not.toContain(b.id);
      expect((await enter(browser, b)).status).toBe(403);
      const headers = { 'x-tramontane-workspace': b.workspaceId };
      expect((await browser.ask('/v1/admin/users', { headers })).status).toBe(403);
      expect((await browser.ask('/console/api/invitations')).body).toEqual({ invitations: [] });
      for (const end of ['accept', 'decline'])
        expect((await browser.ask(`/console/api/invitations/${vera}/${end}`, { method: 'POST' })).status).toBe(404);
    }
    expect((await server.admin('GET', `/users/${vera}`, undefined, b.adminKey)).body).toMatchObject({
      name: 'Vera Real',
      email: 'vera@example.test',
    });
  });

  it.runIf(isSqliteOrFull(database))(
    'made by an admin of A does not see or accept an invitation of B without its link',
    async () => {
      const mallory = await squat('invited@example.test');
      const path = await linkOf(b, 'invited@example.test');
      expect((await mallory.ask('/console/api/invitations')).body).toEqual({ invitations: [] });
      const { body } = await server.admin<{ invite_uuid: string }[]>('GET', '/users-invite', undefined, b.adminKey);
      const accepted = `/console/api/invitations/${body[0]?.invite_uuid}/accept`;
      expect((await mallory.ask(accepted, { method: 'POST' })).status).toBe(404);
      expect(await organizationsOf(mallory)).not.toContain(b.id);
      expect((await openBrowser(server).ask(api(path))).body).toMatchObject({
        purpose: 'invitation',
        has_account: true,
      });
    },
  );

  it.runIf(isSqliteOrFull(database))(
    'is asked for consent while signed in: with the link of B it joins, another account does not',
    async () => {
      const owner = await squat('owner@example.test');
      const stranger = await squat('stranger@example.test');
      const path = await linkOf(b, 'owner@example.test', { workspace_uuids: [b.workspaceId] });
      const join = (browser: TestBrowser) => browser.ask(`${api(path)}/accept`, { method: 'POST' });
      expect((await join(openBrowser(server))).status).toBe(401);
      expect((await owner.ask(`${api(path)}/accept`, { method: 'POST', csrf: null })).status).toBe(403);
      expect((await join(stranger)).status).toBe(403);
      const joined = await join(owner);
      expect([joined.status, joined.body]).toEqual([
        200,
        expect.objectContaining({
          workspaces: expect.arrayContaining([expect.objectContaining({ id: b.workspaceId })]),
        }),
      ]);
      expect((await enter(owner, b)).status).toBe(200);
      expect((await enter(stranger, b)).status).toBe(403);
      expect((await join(owner)).status).toBe(404);
    },
  );

  it('takes over the membership that waited for it, with its roles, workspaces, groups and keys', async () => {
    const owner = await squat('waited@example.test');
    const pending = await addTo(b, 'waited@example.test');
    const admin = (method: string, path: string, body?: unknown) => server.admin(method, path, body, b.adminKey);
    await admin('POST', `/workspaces/${b.workspaceId}/add-users`, { members: [{ user_uuid: pending }] });
    const { body: group } = await admin('POST', '/user-groups', { name: 'Waiters' });
    await admin('POST', `/user-groups/${group.uuid}/members`, { user_uuids: [pending] });
    const { body: made } = await admin('POST', '/api-keys', { workspace_uuid: b.workspaceId, user_id: pending });
    const { path } = await server.platform.tenants.links.create(by(b), pending);
    expect((await openBrowser(server).ask(api(path))).body).toMatchObject({ purpose: 'invitation', has_account: true });
    expect((await openBrowser(server).openLink(path, { password: 'not the password' })).status).toBe(403);
    expect((await owner.ask(`${api(path)}/accept`, { method: 'POST' })).status).toBe(200);
    const id = owner.session?.user.id;
    expect((await admin('GET', `/users/${pending}`)).status).toBe(404);
    expect((await admin('GET', `/users/${id}`)).body).toMatchObject({ workspaces: [{ uuid: b.workspaceId }] });
    expect((await admin('GET', '/users?email=waited@')).body).toMatchObject({ total: 1, members: [{ uuid: id }] });
    expect((await admin('GET', `/user-groups/${group.uuid}/members`)).text).toContain(id);
    expect((await enter(owner, b)).status).toBe(200);
    const key = { authorization: `Bearer ${made.key as string}` };
    expect((await openBrowser(server).ask('/v1/users/me', { headers: key })).body).toMatchObject({ id });
    expect((await owner.ask(`${api(path)}/accept`, { method: 'POST' })).status).toBe(404);
  });

  it.runIf(isSqliteOrFull(database))('joins with its own password and the link, and can decline', async () => {
    await squat('password@example.test');
    const browser = openBrowser(server);
    const pending = await addTo(b, 'password@example.test');
    const { path } = await server.platform.tenants.links.create(by(b), pending);
    expect((await browser.openLink(path)).status).toBe(200);
    expect(await organizationsOf(browser)).toEqual(expect.arrayContaining([a.id, b.id]));
    const declining = await squat('declines@example.test');
    const invitation = await linkOf(b, 'declines@example.test');
    expect((await declining.ask(`${api(invitation)}/decline`, { method: 'POST' })).status).toBe(204);
    expect((await declining.ask(`${api(invitation)}/accept`, { method: 'POST' })).status).toBe(404);
    expect((await server.admin('GET', '/users?email=declines@', undefined, b.adminKey)).body).toMatchObject({
      total: 0,
    });
  });

  it('with a proven address sees who invites it, and accepts or declines without a link', async () => {
    const owner = await squat('proven@example.test');
    await prove('proven@example.test');
    await linkOf(b, 'proven@example.test');
    const c = await addOrganization(server, 'Charity');
    await addTo(c, 'proven@example.test');
    const { body } = await owner.ask('/console/api/invitations');
    const listed = (body as { invitations: { id: string; organization: { id: string; name: string } }[] }).invitations;
    expect(listed.map(({ organization }) => organization.name).sort()).toEqual(['Bank', 'Charity']);
    const idOf = (name: string) => listed.find(({ organization }) => organization.name === name)?.id;
    const answer = (name: string, end: string) =>
      owner.ask(`/console/api/invitations/${idOf(name)}/${end}`, { method: 'POST' });
    expect((await answer('Bank', 'accept')).status).toBe(200);
    expect((await answer('Charity', 'decline')).status).toBe(204);
    expect((await organizationsOf(owner)).sort()).toEqual([a.id, b.id].sort());
    expect((await owner.ask('/console/api/invitations')).body).toEqual({ invitations: [] });
  });

  it('cannot be opened by a first link of A while B has the address, and an address goes to who claims it', async () => {
    const inB = await addTo(b, 'unclaimed@example.test');
    const attack = await openBrowser(server).openLink(await linkOf(a, 'unclaimed@example.test'), { name: 'Mallory' });
    expect(attack.status).toBe(409);
    const inA = await addTo(a, 'unclaimed@example.test');
    const { path } = await server.platform.tenants.links.create(by(a), inA);
    const browser = openBrowser(server);
    expect((await browser.openLink(path, { name: 'Una' })).status).toBe(200);
    expect(await organizationsOf(browser)).toEqual([a.id]);
    expect((await openBrowser(server).signIn('unclaimed@example.test')).status).toBe(200);
    const second = await server.platform.tenants.links.create(by(b), inB);
    expect((await browser.ask(`${api(second.path)}/accept`, { method: 'POST' })).status).toBe(200);
    expect((await enter(browser, b)).status).toBe(200);
  });

  it('removed from A and added by B is nobody’s to take: its old links and names are gone', async () => {
    const inA = await addTo(a, 'moved@example.test');
    const { path } = await server.platform.tenants.links.create(by(a), inA);
    await server.admin('DELETE', `/users/${inA}`, undefined, a.adminKey);
    const { body } = await server.admin<{ email_to_user_id: Record<string, string> }>(
      'POST',
      '/users',
      [{ email: 'moved@example.test', first_name: 'New', last_name: 'Name' }],
      b.adminKey,
    );
    const id = body.email_to_user_id['moved@example.test'];
    expect((await server.admin('GET', `/users/${id}`, undefined, b.adminKey)).body).toMatchObject({ name: 'New Name' });
    expect((await openBrowser(server).openLink(path, { name: 'Mallory' })).status).toBe(404);
  });

  it('is opened by nobody in a race of a first password and an addition elsewhere', async () => {
    const email = 'raced@example.test';
    const inA = await addTo(a, email);
    await server.admin('DELETE', `/users/${inA}`, undefined, a.adminKey);
    const path = await linkOf(a, email);
    const mallory = openBrowser(server);
    await Promise.all([mallory.openLink(path, { name: 'Mallory' }), addTo(b, email)]);
    if (mallory.session) expect((await enter(mallory, b)).status).toBe(403);
    expect((await server.admin('GET', `/users?email=${email}`, undefined, b.adminKey)).body).toMatchObject({
      total: 1,
    });
  });

  it.runIf(isSqliteOrFull(database))(
    'does not show its other organizations to a key that an admin of B makes for it',
    async () => {
      const owner = await squat('keyed@example.test');
      const path = await linkOf(b, 'keyed@example.test', { workspace_uuids: [b.workspaceId] });
      await owner.ask(`${api(path)}/accept`, { method: 'POST' });
      const { body } = await server.admin<{ key: string }>(
        'POST',
        '/api-keys',
        { workspace_uuid: b.workspaceId, user_id: owner.session?.user.id },
        b.adminKey,
      );
      const headers = { authorization: `Bearer ${body.key}` };
      const ask = async (path: string) => (await openBrowser(server).ask(path, { headers })).body;
      expect(await ask('/v1/users/me/organizations')).toEqual({ organizations: [{ id: b.id, name: 'Bank' }] });
      expect(await ask('/v1/users/me/workspaces')).toMatchObject({ workspaces: [{ id: b.workspaceId }] });
      expect(await ask(`/v1/users/me/workspaces?organization_id=${a.id}`)).toEqual({ workspaces: [] });
      expect((await organizationsOf(owner)).sort()).toEqual([a.id, b.id].sort());
    },
  );

  describe.runIf(isSqliteOrFull(database))('the operator', () => {
    it('creates an organization for its address without letting it in, unless told to', async () => {
      const mallory = await squat('founder@example.test');
      const create = (name: string, joinsExisting: boolean) =>
        server.platform.tenants.createOrganization({
          name,
          plan: 'team',
          ownerEmail: 'Founder@example.test',
          joinsExisting,
        });
      const closed = await create('Closed', false);
      expect(await organizationsOf(mallory)).not.toContain(closed.id);
      const open = await create('Open', true);
      expect(await organizationsOf(mallory)).toContain(open.id);
    });

    it('lets an account that waits join by an explicit word', async () => {
      const owner = await squat('worded@example.test');
      await addTo(b, 'worded@example.test');
      const person = { email: 'worded@example.test', first_name: '', last_name: '', roles: ['member'] as const };
      const { members } = server.platform.tenants;
      const { ids } = await members.create(by(b), [person], { joinsExisting: true });
      expect(ids.get('worded@example.test')).toBe(owner.session?.user.id);
      expect(await organizationsOf(owner)).toContain(b.id);
    });
  });

  it('of 0.1.0 data that is already in several organizations keeps what it has', async () => {
    const owner = await squat('legacy@example.test');
    const id = owner.session?.user.id ?? '';
    const { database: opened, keysSignal } = server.platform;
    await opened.transaction(async (tx) => {
      const row = { organization_id: b.id, user_id: id, role: 'member', created_at: '2026-01-01T00:00:00Z' } as const;
      await tx.insertInto('organization_members').values(row).execute();
      keysSignal.raise(tx);
    });
    expect((await organizationsOf(owner)).sort()).toEqual([a.id, b.id].sort());
    expect(await addTo(b, 'legacy@example.test')).toBe(id);
    await server.admin('DELETE', `/users/${id}`, undefined, b.adminKey);
    expect(await organizationsOf(owner)).toEqual([a.id]);
    expect((await openBrowser(server).signIn('legacy@example.test', PASSWORD)).status).toBe(200);
  });
});
