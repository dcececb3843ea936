import { beforeAll, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase, onSqliteFirst } from '../../test/support/databases.ts';
import { startMailServer } from '../../test/support/mail-server.ts';
import { addMember } from '../admin/admin-for-tests.ts';
import { OPERATOR } from '../tenants/index.ts';
import { stepAt, totpAt } from '../tenants/sign-in/totp.ts';
import { openBrowser, PASSWORD, type TestBrowser } from './browser-for-tests.ts';
import { type ProviderServer, startProviderServer } from './provider-for-tests.ts';

const LINKS = '/console/api/links';
const FACTOR = '/console/api/account/second-factor';

onEachDatabase('a sign-in with a provider that no account is joined to', (database) => {
  let of: ProviderServer;
  let mails: Awaited<ReturnType<typeof startMailServer>>;
  let people = 0;
  beforeAll(async () => {
    mails = await startMailServer();
    of = await startProviderServer(database, { file: { mail: mails.settings } });
  });

  /** With a password and a second factor. */
  async function person() {
    const name = `person-${++people}`;
    const email = `${name}@corp.test`;
    const id = await addMember(of.server, email);
    const caller = { organization_id: of.server.organizationId, actor: OPERATOR };
    const owner = openBrowser(of.server);
    await owner.openLink((await of.server.platform.tenants.links.create(caller, id)).path);
    const post = (path: string, body: object) => owner.ask(path, { method: 'POST', body });
    const { secret } = (await post(FACTOR, { password: PASSWORD })).body as { secret: string };
    const confirmed = await post(`${FACTOR}/confirm`, { code: totpAt(secret, stepAt(Date.now())) });
    const { recovery_codes: codes } = confirmed.body as { recovery_codes: string[] };
    return { name, email, id, codes, owner };
  }
  type Finished = Awaited<ReturnType<ProviderServer['signIn']>>;
  const ask = (browser: TestBrowser, unjoined: string, path: string, body?: object) =>
    browser.ask(path, {
      method: body ? 'POST' : 'GET',
      headers: { cookie: unjoined },
      ...(body && Object.keys(body).length > 0 && { body }),
    });
  const askForMail = ({ browser, unjoined }: Finished) => ask(browser, unjoined, LINKS, {});
  /** The link of the next mail, and the address that got it. */
  async function nextLink(): Promise<{ to: string[]; path: string; text: string }> {
    const mail = (await mails.next(mails.received.length + 1)).at(-1);
    const [url = ''] = /http:\S+\/console\/link\/\S+/.exec(mail?.text ?? '') ?? [];
    return { to: mail?.to ?? [], text: mail?.text ?? '', path: new URL(url).pathname.replace('/console/link', LINKS) };
  }
  async function askAndRead(finished: Finished) {
    const link = nextLink();
    expect((await askForMail(finished)).status).toBe(204);
    return link;
  }
  const countOf = async (email: string) =>
    (
      await of.server.platform.database.db
        .selectFrom('user_identities')
        .innerJoin('users', 'users.id', 'user_identities.user_id')
        .select('provider')
        .where('email', '=', email)
        .execute()
    ).length;

  it('is joined by the link that is mailed to the account, with its password and a code, once', async () => {
    const { name, email, id, codes } = await person();
    const tried = await of.signIn(name, { email_verified: undefined });
    expect(tried.to).toBe('/console/sign-in?problem=not_joined');
    const { to, path, text } = await askAndRead(tried);
    expect([to, text.includes('Corp')]).toEqual([[email], true]);
    const { browser, unjoined } = tried;
    const shown = await ask(browser, unjoined, path);
    expect(shown.body).toMatchObject({ purpose: 'join_provider', email, providers: [{ id: 'corp', name: 'Corp' }] });
    const use = (body: object) => ask(browser, unjoined, path, body);
    expect((await use({ password: 'a wrong password' })).status).toBe(401);
    expect((await use({ password: PASSWORD })).body).toMatchObject({ code: 'second_factor_required' });
    expect((await use({ password: PASSWORD, code: '000000' })).status).toBe(403);
    expect(await countOf(email)).toBe(0);
    const joined = await use({ password: PASSWORD, code: codes.pop() });
    expect(joined).toMatchObject({ status: 200, body: { user: { id }, sign_in: { provider: null } } });
    expect((await of.signIn(name, { email_verified: undefined })).browser.session?.user.id).toBe(id);
    expect((await use({ password: PASSWORD, code: codes.pop() })).status).toBe(404);
    const log = await of.server.admin('GET', '/audit-logs?event_type=user.identity.join');
    expect(log.text).toContain(email);
    for (const secret of [path.split('/').at(-1) ?? '', PASSWORD])
      expect(log.text + of.server.logs.join('')).not.toContain(secret);
  });

  it.runIf(isSqliteOrFull(database))(
    'is joined in the browser of the sign-in only: an owner who opens the link elsewhere joins nothing of a stranger',
    async () => {
      const { email, codes, owner } = await person();
      const { path } = await askAndRead(await of.signIn(`mallory-${people}`, { email, email_verified: undefined }));
      const own = await of.signIn(`own-${people}`, { email, email_verified: undefined });
      for (const unjoined of ['', 'tramontane_unjoined=forged', own.unjoined])
        for (const browser of [owner, openBrowser(of.server)]) {
          expect((await ask(browser, unjoined, path)).status).toBe(403);
          expect((await ask(browser, unjoined, path, { password: PASSWORD, code: codes[0] })).status).toBe(403);
        }
      expect(await countOf(email)).toBe(0);
    },
  );

  it.runIf(isSqliteOrFull(database))(
    'is answered alike whether its address has an account, and only accounts with a password get a mail',
    async () => {
      const { name, email } = await person();
      await addMember(of.server, 'no-password@corp.test');
      const before = mails.received.length;
      for (const address of ['nobody@corp.test', 'no-password@corp.test', 'NO ADDRESS']) {
        const tried = await of.signIn(`asks-${++people}`, { email: address, email_verified: undefined });
        expect([(await askForMail(tried)).status, tried.to]).toEqual([204, '/console/sign-in?problem=not_joined']);
      }
      // Mails are sent in the order in which they were asked for.
      const { to } = await askAndRead(await of.signIn(name, { email_verified: undefined }));
      expect([to, mails.received.length]).toEqual([[email], before + 1]);
    },
  );

  it('asks for three mails within a quarter of an hour at most', async () => {
    const { name } = await person();
    const tried = await of.signIn(name, { email_verified: undefined });
    for (let mail = 0; mail < 3; mail++) await askAndRead(tried);
    expect(await askForMail(tried)).toMatchObject({ status: 429 });
  });

  it.runIf(isSqliteOrFull(database))(
    'asks for none without having been at the provider, nor from a page of another site',
    async () => {
      expect((await ask(openBrowser(of.server), '', LINKS, {})).status).toBe(409);
      const tried = await of.signIn(`far-${++people}`, { email_verified: undefined });
      const headers = { cookie: tried.unjoined, 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' };
      expect((await tried.browser.ask(LINKS, { method: 'POST', headers })).status).toBe(403);
    },
  );

  it.runIf(isSqliteOrFull(database))('opens no link that the server did not make', async () => {
    const { name } = await person();
    const { browser, unjoined } = await of.signIn(name, { email_verified: undefined });
    for (const token of ['join-', 'join-s1.00000000.AAAA', 'join-x'])
      expect((await ask(browser, unjoined, `${LINKS}/${token}`)).status).toBe(404);
  });
});

onSqliteFirst('a server without mail', (database) => {
  it('offers no mailed link, and says how to join instead', async () => {
    const of = await startProviderServer(database);
    const browser = openBrowser(of.server);
    expect((await browser.ask('/console/api/sign-in')).body).toMatchObject({ joins_by_mail: false });
    const tried = await of.signIn('ann', { email_verified: undefined });
    expect([tried.to, tried.unjoined]).toEqual(['/console/sign-in?problem=not_joined', '']);
    const refused = await browser.ask(LINKS, { method: 'POST' });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('account page');
  });
});
