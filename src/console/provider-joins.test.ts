import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { withinASecond } from '../../test/support/within-a-second.ts';
import { addMember, addOrganization } from '../admin/admin-for-tests.ts';
import { WORKSPACE_ROLE_IDS } from '../admin/schema/roles.ts';
import { OPERATOR } from '../tenants/index.ts';
import { openBrowser, PASSWORD, type TestBrowser } from './browser-for-tests.ts';
import { isSignedIn, type ProviderServer, SIGN_IN, startProviderServer } from './provider-for-tests.ts';

const NOT_JOINED = '/console/sign-in?problem=not_joined';
const LABS = { start: '/console/api/sign-in/labs' };
/** Claims that are no literal yes; undefined is a claim that is missing. */
const UNSAID = [undefined, 'true', 1, null, 'yes', [true], {}];
type Other = Awaited<ReturnType<typeof addOrganization>>;

onSqliteFirst('the first sign-in with a provider', (database) => {
  let of: ProviderServer;
  let signIn: ProviderServer['signIn'];
  let other: Other;
  let third: Other;
  let people = 0;
  beforeAll(async () => {
    of = await startProviderServer(database, { labs: { organization: 'Elsewhere', domains: ['corp.test'] } });
    ({ signIn } = of);
    other = await addOrganization(of.server, 'Elsewhere');
    third = await addOrganization(of.server, 'Third');
  });

  const newName = () => `person-${++people}`;
  const by = (organization_id: string) => ({ organization_id, actor: OPERATOR });
  const db = () => of.server.platform.database.db;
  const identitiesOf = async (email: string) =>
    db()
      .selectFrom('user_identities')
      .innerJoin('users', 'users.id', 'user_identities.user_id')
      .select('provider')
      .where('users.email', '=', email)
      .execute();
  const organizationsOf = async (email: string) => {
    const rows = await db()
      .selectFrom('organization_members')
      .innerJoin('users', 'users.id', 'organization_members.user_id')
      .select('organization_id')
      .where('users.email', '=', email)
      .execute();
    return rows.map(({ organization_id }) => organization_id);
  };
  const addTo = (organization: { id: string }, email: string) =>
    of.server.platform.tenants.members.create(
      by(organization.id),
      [{ email, first_name: 'Ann', last_name: 'Lee', roles: ['member'] }],
      { joinsExisting: true },
    );
  const here = () => ({ id: of.server.organizationId });
  const setPassword = async (email: string): Promise<TestBrowser> => {
    const { tenants } = of.server.platform;
    const { id } = await db().selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
    const browser = openBrowser(of.server);
    expect((await browser.openLink((await tenants.links.create(by(here().id), id)).path)).status).toBe(200);
    return browser;
  };
  const addFactor = async (email: string) => {
    const { id } = await db().selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
    const created_at = new Date().toISOString();
    const row = { user_id: id, sealed: 'x', last_step: 0, created_at, confirmed_at: created_at };
    await of.server.platform.database.transaction((tx) => tx.insertInto('second_factors').values(row).execute());
  };

  describe.each(UNSAID)('with email_verified %j', (email_verified) => {
    it('neither joins the account of the address nor makes one, whatever `domains` says', async () => {
      const name = newName();
      await addMember(of.server, `${name}@corp.test`);
      for (const account of [name, newName()]) {
        const { to, browser } = await signIn(account, { email_verified });
        expect([to, browser.cookie]).toEqual([NOT_JOINED, '']);
        expect(await identitiesOf(`${account}@corp.test`)).toEqual([]);
      }
    });
  });

  it('counts no yes that the ID token says of another address than the user info', async () => {
    const name = newName();
    await addMember(of.server, `${name}@corp.test`);
    await of.provider.set({ forge: { email: 'mallory@corp.test', email_verified: true } });
    const { to } = await signIn(name, { email_verified: undefined });
    await of.provider.set({ forge: {} });
    expect(to).toBe(NOT_JOINED);
  });

  it.each(['\u212ai@corp.test', 'ki\0@corp.test', 'k\u200bi@corp.test'])('takes %j for no address', async (email) => {
    await addMember(of.server, 'ki@corp.test');
    expect((await signIn(newName(), { email })).to).toBe(NOT_JOINED);
    expect(await identitiesOf('ki@corp.test')).toEqual([]);
  });

  it('joins a member of its organization who has no password, with the address in another case and spaces', async () => {
    const name = newName();
    const id = await addMember(of.server, `${name}@corp.test`);
    const { to, browser } = await signIn(name, { email: ` ${name.toUpperCase()}@Corp.Test ` });
    expect([to, browser.session?.user.id]).toEqual(['/console/home', id]);
  });

  describe('never joins an account', () => {
    const kinds: [string, (email: string) => Promise<unknown>][] = [
      ['with a password', async (email) => [await addTo(here(), email), await setPassword(email)]],
      ['with a second factor', async (email) => [await addTo(here(), email), await addFactor(email)]],
      ['of another organization', (email) => addTo(other, email)],
      ['of several organizations', async (email) => [await addTo(here(), email), await addTo(third, email)]],
      [
        'with all of these',
        async (email) => [
          await addTo(here(), email),
          await setPassword(email),
          await addFactor(email),
          await addTo(other, email),
        ],
      ],
    ];
    it.each(kinds)('%s, nor makes another one for its address', async (_, make) => {
      const name = newName();
      const email = `${name}@corp.test`;
      await make(email);
      const before = [await organizationsOf(email), await db().selectFrom('users').select('id').execute()];
      for (const claims of [{}, { email: ` ${email.toUpperCase()} ` }]) {
        const { to, browser } = await signIn(name, claims);
        expect([to, browser.cookie]).toEqual([NOT_JOINED, '']);
      }
      expect(await identitiesOf(email)).toEqual([]);
      expect([await organizationsOf(email), await db().selectFrom('users').select('id').execute()]).toEqual(before);
    });

    it('that was removed from the organization, by another subject with its address, unless it is invited', async () => {
      const name = newName();
      const id = await addMember(of.server, `${name}@corp.test`);
      await of.server.admin('DELETE', `/users/${id}`);
      const refused = await signIn(name);
      expect([refused.to, refused.browser.cookie]).toEqual(['/console/sign-in?problem=no_organization', '']);
      await of.server.admin('POST', '/users-invite', { email: `${name}@corp.test` });
      expect((await signIn(name)).browser.session?.user.id).toBe(id);
    });

    it('of a service, whatever its name', async () => {
      const name = `${newName()}@corp.test`;
      const given = { name, workspace_id: of.server.workspaceId, role_ids: [WORKSPACE_ROLE_IDS.dev] };
      const made = await call(of.server, '/v1/service-accounts', { body: given });
      expect(made.status).toBe(201);
      const { id } = made.body as { id: string };
      const { browser } = await signIn(name.split('@')[0] ?? '');
      expect(browser.session?.user.id).not.toBe(id);
      expect(browser.session?.user.email).toBe(name);
    });

    it('that a provider of another organization names, not even with a literal yes', async () => {
      const name = newName();
      const email = `${name}@corp.test`;
      await addMember(of.server, email, { role_names: ['organization_admin'] });
      const { to, browser } = await signIn(name, {}, LABS);
      expect([to, browser.cookie]).toEqual([NOT_JOINED, '']);
      expect(await organizationsOf(email)).toEqual([here().id]);
    });
  });

  it('is not needed for an identity that an earlier version stored: it signs in, and changes no protected account', async () => {
    const name = newName();
    const email = `${name}@corp.test`;
    await addTo(here(), email);
    await setPassword(email);
    const { id } = await db().selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
    const row = { provider: 'corp', subject: name, user_id: id, created_at: new Date().toISOString() };
    await of.server.platform.database.transaction((tx) => tx.insertInto('user_identities').values(row).execute());
    const { browser } = await signIn(name, { email_verified: undefined });
    expect(browser.session?.user.id).toBe(id);
    const renamed = await browser.ask('/console/api/account', { method: 'PATCH', body: { name: 'Mallory' } });
    expect(renamed.status).toBe(403);
  });

  it('with a provider of another organization makes a member of that organization alone', async () => {
    const name = newName();
    const { browser } = await signIn(name, {}, LABS);
    expect(browser.session?.organization.id).toBe(other.id);
    expect(await organizationsOf(`${name}@corp.test`)).toEqual([other.id]);
  });

  it('proves the address to no other organization', async () => {
    const name = newName();
    await signIn(name, {}, LABS);
    const row = await db()
      .selectFrom('users')
      .select('email_proven_at')
      .where('email', '=', `${name}@corp.test`)
      .executeTakeFirst();
    expect(row?.email_proven_at).toBeNull();
  });

  describe('by an invitation', () => {
    const invite = async (email: string, key?: string) => {
      const { body } = await of.server.admin<{ invite_links: { url: string }[] }>(
        ...(['POST', '/users-invite', { email, role_names: ['organization_admin'] }, key] as const),
      );
      return new URL(body.invite_links[0]?.url ?? '').pathname.replace('/console/link/', '');
    };
    const accept = (name: string, invitation: string, options: object = {}) =>
      signIn(name, { email: `${name}@anywhere.test`, email_verified: undefined }, { body: { invitation }, ...options });

    it('of an address for which the provider says nothing, its link makes the account, once', async () => {
      const name = newName();
      const email = `${name}@invited.test`;
      const token = await invite(email);
      const shown = (await openBrowser(of.server).ask(`/console/api/links/${token}`)).body;
      expect(shown).toMatchObject({ purpose: 'invitation', providers: [{ id: 'corp', name: 'Corp' }] });
      const { browser } = await accept(name, token);
      expect(browser.session?.user).toMatchObject({ email, role: 'organization_admin' });
      // The subject is joined now; nobody else is by the same link.
      const again = await signIn(name, { email_verified: undefined });
      expect(again.browser.session?.user.id).toBe(browser.session?.user.id);
      const start = { method: 'POST', body: { invitation: token } };
      expect((await openBrowser(of.server).ask(SIGN_IN, start)).status).toBe(404);
    });

    it('brings back a removed member who has no password', async () => {
      const name = newName();
      const email = `${name}@invited.test`;
      const { browser } = await accept(name, await invite(email));
      const { id } = browser.session?.user ?? {};
      await of.server.admin('DELETE', `/users/${id}`);
      expect((await accept(name, '', { body: {} })).to).toContain('no_organization');
      expect((await accept(name, await invite(email))).browser.session?.user.id).toBe(id);
    });

    it('is accepted with the password, not with the provider, by a removed member whose account has one', async () => {
      const name = newName();
      const email = `${name}@corp.test`;
      const { browser } = await signIn(name);
      await setPassword(email);
      await of.server.admin('DELETE', `/users/${browser.session?.user.id}`);
      const token = await invite(email);
      for (const body of [{}, { invitation: token }])
        expect((await signIn(name, {}, { body })).to).toContain('no_organization');
      expect((await openBrowser(of.server).openLink(`/console/link/${token}`)).status).toBe(200);
      expect((await signIn(name)).browser.session?.user.id).toBe(browser.session?.user.id);
    });

    it('of another organization than the provider, or for an account with a password, is not accepted', async () => {
      const name = newName();
      const foreign = await invite(`${name}@invited.test`, other.adminKey);
      expect((await accept(name, foreign)).to).toBe(NOT_JOINED);
      const email = `${newName()}@invited.test`;
      await addTo(here(), email);
      await setPassword(email);
      const { id } = await db().selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
      await of.server.admin('DELETE', `/users/${id}`);
      const token = await invite(email);
      expect((await accept(name, token)).to).toBe(NOT_JOINED);
      expect((await openBrowser(of.server).signIn(email, PASSWORD)).status).toBe(401);
      expect(await organizationsOf(email)).toEqual([]);
    });

    it('whose address the provider only claims, without its link and without a yes, is not accepted', async () => {
      const name = newName();
      await invite(`${name}@corp.test`);
      expect((await signIn(name, { email_verified: undefined })).to).toBe(NOT_JOINED);
      expect(await organizationsOf(`${name}@corp.test`)).toEqual([]);
    });
  });
});

onSqliteFirst('a provider whose addresses the operator trusts', (database) => {
  let of: ProviderServer;
  beforeAll(async () => {
    of = await startProviderServer(database, { corp: { trusts_email: true } });
  });

  it.each(UNSAID)('makes and joins accounts where email_verified is %j', async (email_verified) => {
    const name = `ann-${String(JSON.stringify(email_verified)).replaceAll(/\W/g, '-')}`;
    const { browser } = await of.signIn(`${name}-new`, { email_verified });
    expect(browser.session?.user.email).toBe(`${name}-new@corp.test`);
    const id = await addMember(of.server, `${name}@corp.test`);
    expect((await of.signIn(name, { email_verified })).browser.session?.user.id).toBe(id);
  });

  it.each([false, 'false'])('is not trusted for an address of which it says %j itself', async (email_verified) => {
    expect((await of.signIn('bo', { email_verified })).to).toBe(NOT_JOINED);
  });

  it('is not trusted for other domains, nor for an account with a password', async () => {
    expect((await of.signIn('eve', { email: 'eve@elsewhere.test' })).to).toBe(NOT_JOINED);
    const id = await addMember(of.server, 'carl@corp.test');
    const caller = { organization_id: of.server.organizationId, actor: OPERATOR };
    const link = await of.server.platform.tenants.links.create(caller, id);
    await openBrowser(of.server).openLink(link.path);
    expect((await of.signIn('carl')).to).toBe(NOT_JOINED);
  });
});

onSqliteFirst('a provider without an organization', (database) => {
  it('belongs to the only one; beside a second one its sign-ins are refused, and its sessions act nowhere', async () => {
    const { signIn, server } = await startProviderServer(database, { corp: { organization: undefined } });
    const before = await signIn('ann');
    expect(before.browser.session?.organization.id).toBe(server.organizationId);
    await addOrganization(server, 'Second');
    const { to, browser } = await signIn('bo');
    expect([to, browser.cookie]).toEqual(['/console/sign-in?problem=no_home', '']);
    await withinASecond(async () => !(await isSignedIn(before.browser)));
  });
});
