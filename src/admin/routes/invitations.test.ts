import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase, sqliteForTests } from '../../../test/support/databases.ts';
import { startMailServer } from '../../../test/support/mail-server.ts';
import { isPassword } from '../../tenants/sign-in/hash-password.ts';
import { type AdminServer, addMember, addOrganization, startAdminServer } from '../admin-for-tests.ts';
import { ORGANIZATION_ROLE_IDS, WORKSPACE_ROLE_IDS } from '../schema/roles.ts';

const PERSON = { first_name: 'Ann', last_name: 'Lee', password: 'correct horse battery' };
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

type Invited = {
  invalid_emails: string[];
  already_members: string[];
  invited_members_count: number;
  invite_links: { email: string; url: string }[];
};

/** What the page that a link opens asks the API for. */
const apiPath = (url: string) => new URL(url).pathname.replace('/console/link/', '/v1/invitations/');

onEachDatabase('invitations', (database) => {
  let server: AdminServer;
  let other: Awaited<ReturnType<typeof addOrganization>>;
  beforeAll(async () => {
    server = await startAdminServer(database);
    other = await addOrganization(server, 'Elsewhere');
  });
  afterEach(() => void vi.useRealTimers());

  const invite = (body: unknown, key?: string) => server.admin<Invited>('POST', '/users-invite', body, key);
  const pathOf = async (email: string, more: Record<string, unknown> = {}, key?: string) => {
    const { body } = await invite({ email, ...more }, key);
    return apiPath(body.invite_links[0]!.url);
  };
  const accept = (path: string, body: unknown = PERSON) => call(server, path, { key: '', body });
  const passwordOf = async (email: string) => {
    const { db } = server.platform.database;
    const query = db.selectFrom('users').select('password_hash').where('email', '=', email);
    return (await query.executeTakeFirst())?.password_hash ?? '';
  };

  describe('200', () => {
    it('invites one address or several and says which were wrong or known [ADMIN-INVITE]', async () => {
      await addMember(server, 'member@example.test');
      const { status, body } = await invite({
        email: 'Ann@example.test, nobody\nbo@example.test;member@example.test,ann@example.test',
      });
      expect(status).toBe(200);
      expect(body).toEqual({
        invalid_emails: ['nobody'],
        already_members: ['member@example.test'],
        invited_members_count: 2,
        invite_links: ['ann@example.test', 'bo@example.test'].map((email) => ({
          email,
          url: expect.stringMatching(`^${server.url}/console/link/`),
        })),
      });
      const { body: listed } = await server.admin<{ email: string; roles: string[] }[]>('GET', '/users-invite');
      expect(listed).toContainEqual({
        invite_uuid: expect.any(String),
        email: 'ann@example.test',
        roles: [ORGANIZATION_ROLE_IDS.member],
        role: ORGANIZATION_ROLE_IDS.member,
      });
      expect((await server.admin('GET', '/users?email=bo@example')).body).toMatchObject({
        total: 1,
        invites: [{ email: 'bo@example.test', expired: false, workspace_uuids: [] }],
      });
      expect((await server.admin('GET', '/users-invite', undefined, other.adminKey)).body).toEqual([]);
    });

    it('lets the holder of the link join with name, password, roles and workspaces [ADMIN-INVITE-LINK]', async () => {
      const path = await pathOf('joiner@example.test', {
        role_names: ['billing_manager'],
        workspace_uuids: [server.workspaceId],
      });
      expect((await call(server, path, { key: '' })).body).toEqual({
        email: 'joiner@example.test',
        organization: { id: server.organizationId, name: 'Default' },
        expires_at: expect.any(String),
        has_account: false,
      });
      const { status, body } = await accept(path);
      expect([status, body]).toEqual([
        200,
        { user_id: expect.any(String), email: 'joiner@example.test', organization_id: server.organizationId },
      ]);
      const { user_id } = body as { user_id: string };
      expect((await server.admin('GET', `/users/${user_id}`)).body).toMatchObject({
        name: 'Ann Lee',
        raw_roles: [ORGANIZATION_ROLE_IDS.billing_manager],
        workspaces: [{ uuid: server.workspaceId, raw_roles: [WORKSPACE_ROLE_IDS.workspace_contributor] }],
      });
      const hash = await passwordOf('joiner@example.test');
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=\d+,t=1,p=1\$/);
      expect([await isPassword(PERSON.password, hash), await isPassword('something else', hash)]).toEqual([
        true,
        false,
      ]);
      expect((await server.admin('GET', '/users?email=joiner')).body).toMatchObject({ total: 1, invites: [] });
      expect((await accept(path)).status).toBe(404);
    });

    it('renews an invitation, and the old link ends', async () => {
      const first = await pathOf('again@example.test');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 });
      const second = await pathOf('again@example.test', { role: 'B' });
      expect((await call(server, first, { key: '' })).status).toBe(404);
      expect((await call(server, second, { key: '' })).status).toBe(200);
      const { body } = await server.admin<{ email: string; roles: string[] }[]>('GET', '/users-invite');
      expect(body.filter(({ email }) => email === 'again@example.test')).toMatchObject([
        { roles: [ORGANIZATION_ROLE_IDS.billing_manager] },
      ]);
    });

    it('withdraws an invitation, and its link ends', async () => {
      const path = await pathOf('withdrawn@example.test');
      const { body } = await server.admin<{ invite_uuid: string; email: string }[]>('GET', '/users-invite');
      const { invite_uuid } = body.find(({ email }) => email === 'withdrawn@example.test')!;
      const removed = await server.admin('DELETE', `/users-invite/${invite_uuid}`);
      expect([removed.status, removed.body.message]).toEqual([200, expect.stringContaining('withdrawn@example.test')]);
      expect((await accept(path)).status).toBe(404);
      expect((await server.admin('DELETE', `/users-invite/${invite_uuid}`)).status).toBe(404);
    });

    it('asks a user who has a password for that one, and changes neither it nor the name', async () => {
      await accept(await pathOf('known@example.test'));
      const path = await pathOf('known@example.test', {}, other.adminKey);
      expect((await call(server, path, { key: '' })).body).toMatchObject({ has_account: true });
      const before = await passwordOf('known@example.test');
      expect((await accept(path, { ...PERSON, password: 'a guess of the admin' })).status).toBe(403);
      expect((await accept(path, { ...PERSON, first_name: 'Else' })).status).toBe(200);
      expect(await passwordOf('known@example.test')).toBe(before);
      expect((await server.admin('GET', '/users?email=known@')).body).toMatchObject({ members: [{ name: 'Ann Lee' }] });
    });

    it.runIf(isSqliteOrFull(database))('stores no link for idempotency', async () => {
      const options = {
        key: server.adminKey,
        headers: { 'idempotency-key': 'i' },
        body: { email: 'rep@example.test' },
      };
      const first = await call(server, '/v1/admin/users-invite', options);
      const second = await call(server, '/v1/admin/users-invite', options);
      expect(first.body).toHaveProperty('invite_links');
      expect(second.body).toEqual({ invalid_emails: [], already_members: [], invited_members_count: 1 });
    });
  });

  describe('a link', () => {
    it('ends after a week', async () => {
      const path = await pathOf('late@example.test');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + WEEK_MS });
      const answer = await accept(path);
      expect([answer.status, answer.body]).toEqual([410, { detail: expect.stringContaining('expired') }]);
      expect((await server.admin('GET', '/users?email=late@')).body).toMatchObject({ invites: [{ expired: true }] });
    });

    it.runIf(isSqliteOrFull(database))('cannot be forged or altered', async () => {
      const path = await pathOf('forged@example.test');
      const token = path.split('/').at(-1)!;
      const [text = '', mac = ''] = token.split('.');
      const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as string[];
      const longer = Buffer.from(JSON.stringify([parts[0], '2999-01-01T00:00:00.000Z'])).toString('base64url');
      const expected = [404, { detail: expect.stringContaining('not valid') }];
      for (const wrong of [`${longer}.${mac}`, `${text}.`, text, `${text}.${mac.slice(0, -2)}`, 'x', '.', `.${mac}`]) {
        const answer = await accept(`/v1/invitations/${wrong}`);
        expect([answer.status, answer.body]).toEqual(expected);
      }
    });

    it('is accepted once, however many try at the same time', async () => {
      const path = await pathOf('race@example.test');
      const answers = await Promise.all([1, 2, 3].map(() => accept(path)));
      expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
      for (const { status } of answers) expect([200, 403, 404, 409]).toContain(status);
      expect((await server.admin('GET', '/users?email=race@')).body).toMatchObject({ total: 1, invites: [] });
    });

    it('shown to an admin cannot set the password of somebody who belongs to another organization', async () => {
      const person = { email: 'theirs@example.test', first_name: 'T', last_name: 'H' };
      await server.admin('POST', '/users', [person], other.adminKey);
      const answer = await accept(await pathOf('theirs@example.test'));
      expect([answer.status, await passwordOf('theirs@example.test')]).toEqual([409, '']);
    });
  });

  describe.runIf(isSqliteOrFull(database))('404 and 422', () => {
    it("refuses another organization's workspace and invitation as missing", async () => {
      const body = { email: 'x@example.test', workspace_uuids: [other.workspaceId] };
      expect((await invite(body)).status).toBe(404);
      await invite({ email: 'y@example.test' }, other.adminKey);
      const { body: listed } = await server.admin<{ invite_uuid: string }[]>(
        'GET',
        '/users-invite',
        undefined,
        other.adminKey,
      );
      expect((await server.admin('DELETE', `/users-invite/${listed[0]?.invite_uuid}`)).status).toBe(404);
    });

    it('refuses a body without an email, and unknown properties [ADMIN-INVITE-BODY]', async () => {
      expect(await invite({})).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'missing', loc: ['body', 'email'] }] },
      });
      expect(await invite({ email: 'a@b', x: 1 })).toMatchObject({ body: { detail: [{ type: 'extra_forbidden' }] } });
      expect((await invite({ email: 'a@b', role_names: ['king'] })).status).toBe(422);
      expect((await invite({ email: 'a@b', email_language: 'xx' })).status).toBe(422);
      expect((await invite({ email: Array.from({ length: 1001 }, (_, n) => `${n}@b`).join() })).status).toBe(400);
    });

    it('takes JSON only [ADMIN-INVITE-JSON]', async () => {
      const answer = await call(server, '/v1/admin/users-invite', {
        key: server.adminKey,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        raw: 'email=a@b',
      });
      expect(answer.status).toBe(415);
    });

    it.each([
      [{ ...PERSON, password: 'short' }, 'password'],
      [{ ...PERSON, first_name: ' ' }, 'first_name'],
      [{ ...PERSON, admin: true }, 'admin'],
    ])('refuses to accept with %j', async (body, field) => {
      const answer = await accept(await pathOf('strict@example.test'), body);
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } });
    });
  });
});

describe('mail', () => {
  it('carries the link, in the language asked for, and the admin is shown none [ADMIN-INVITE-MAIL]', async () => {
    const smtp = await startMailServer();
    const server = await startAdminServer(sqliteForTests(), {
      file: { mail: smtp.settings },
      environment: { TRAMONTANE_PUBLIC_URL: 'https://ai.example.test' },
    });
    const { body } = await server.admin('POST', '/users-invite', { email: 'ann@example.test', email_language: 'fr' });
    expect(body).toEqual({ invalid_emails: [], already_members: [], invited_members_count: 1 });
    const [first] = await smtp.next(1);
    expect(first?.to).toEqual(['ann@example.test']);
    expect(first?.text).toContain('From: AI <ai@example.test>');
    const content = first?.text ?? '';
    expect(content).toContain("Vous êtes invité à rejoindre l'organisation Default.");
    const [url = ''] = /https:\/\/ai\.example\.test\/console\/link\/\S+/.exec(content) ?? [];
    const path = apiPath(url);
    expect((await call(server, path, { key: '', body: PERSON })).status).toBe(200);
    const log = JSON.stringify(await server.admin('GET', '/audit-logs?limit=100')) + server.logs.join('');
    for (const secret of [path.split('/').at(-1), PERSON.password, 'p@ss']) expect(log).not.toContain(secret);
  });

  it('is tried again when the mail server would not take it', async () => {
    const smtp = await startMailServer();
    smtp.refuse(1);
    const server = await startAdminServer(sqliteForTests(), { file: { mail: smtp.settings } });
    await server.admin('POST', '/users-invite', { email: 'bo@example.test' });
    expect((await smtp.next(1))[0]?.to).toEqual(['bo@example.test']);
  });
});
