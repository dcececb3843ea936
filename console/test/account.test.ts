import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { stepAt, totpAt } from '../../src/tenants/sign-in/totp.ts';
import { type IdentityProvider, startIdentityProvider } from '../../test/support/identity-provider.ts';
import { inFull } from '../../test/support/in-full.ts';
import { startMailServer } from '../../test/support/mail-server.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { type OpenConsole, openConsole, password } from './support/open-console.ts';
import { shots } from './support/shots.ts';

inFull.given(chromiumPath).describe('the account page', () => {
  let console: OpenConsole;
  let provider: IdentityProvider;
  let page: Page;
  let mails: Awaited<ReturnType<typeof startMailServer>>;
  let codes: string[];
  beforeAll(async () => {
    provider = await startIdentityProvider();
    const corp = {
      id: 'corp',
      name: 'Corp',
      issuer: provider.issuer,
      client_id: 'tramontane',
      client_secret: 'the-secret-of-tramontane',
      domains: ['corp.test'],
    };
    mails = await startMailServer();
    console = await openConsole({ file: { sign_in: { providers: [corp] }, mail: mails.settings } });
    ({ page } = console);
    await provider.set({
      base: console.server.url,
      account: 'ann',
      accounts: { ann: { email: 'ann@corp.test', email_verified: true, name: 'Ann Lee' } },
    });
  });
  const heading = (on: Page, name: string) => on.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const dialog = (on: Page) => on.getByRole('dialog');

  test('changes the password, and ends another session', async () => {
    await page.goto(console.at('/account'));
    await heading(page, 'Account');
    await checkPage(page);
    await shots(page, 'account');
    const other = await console.newPage();
    await other.goto(console.at('/sign-in'));
    await other.getByLabel('E-mail').fill('owner@localhost');
    await other.getByLabel('Password').fill(password);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading(other, 'Home');
    await page.reload();
    await page.getByRole('button', { name: /^End session/ }).click();
    await page.getByText('The session has ended.').waitFor();
    await other.reload();
    await heading(other, 'Sign in');

    await page.getByLabel('Present password').fill(password);
    await page.getByLabel('New password').fill('another password of the tests');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password was changed.').waitFor();
  });

  test('changes the name that others see, and the theme', async () => {
    await page.goto(console.at('/account'));
    await page.getByLabel('Your name').fill('x'.repeat(300));
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText(/^Use at most \d+ characters\.$/).waitFor();
    await page.getByLabel('Your name').fill('Olga Owner');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('Your name was changed.').waitFor();
    const appearance = page.getByRole('group', { name: 'Theme of the console' });
    await appearance.getByRole('radio', { name: 'Dark' }).check();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    expect(await page.getByRole('radio', { name: 'Dark', checked: true }).count()).toBe(2);
    await appearance.getByRole('radio', { name: 'System' }).check();
    await page.goto(console.at('/'));
    await page.getByText('signed in as Olga Owner').waitFor();
    await page.goto(console.at('/account'));
  });

  test('sets up a second factor, which the sign-in then asks for', async () => {
    await page.getByRole('button', { name: 'Set up' }).click();
    await dialog(page).getByLabel('Password').fill('another password of the tests');
    await dialog(page).getByRole('button', { name: 'Continue' }).click();
    const secret = await page.getByTestId('secret').innerText();
    await page.getByAltText('QR code of the secret below').waitFor();
    await checkPage(page);
    await dialog(page)
      .getByLabel('Code of the app')
      .fill(totpAt(secret, stepAt(Date.now())));
    await dialog(page).getByRole('button', { name: 'Turn on' }).click();
    const shown = page.getByTestId('recovery-codes').locator('code');
    await shown.first().waitFor();
    codes = await shown.allInnerTexts();
    const code = codes.shift() ?? '';
    expect(code).toMatch(/^[a-z2-7-]{19}$/);
    await checkPage(page);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();

    const other = await console.newPage();
    await other.goto(console.at('/sign-in'));
    await other.getByLabel('E-mail').fill('owner@localhost');
    await other.getByLabel('Password').fill('another password of the tests');
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByLabel('Code').fill(code);
    await checkPage(other);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading(other, 'Home');
  });

  /** The provider's own page has a font of another site. */
  const withoutFonts = async () => {
    const other = await console.newPage();
    await other.route(
      ({ hostname }) => hostname !== '127.0.0.1',
      (request) => request.fulfill({ body: '' }),
    );
    return other;
  };

  test('is reached by a sign-in with a provider, which signs out there too', async () => {
    const other = await withoutFonts();
    await other.goto(console.at('/sign-in'));
    await other.getByRole('button', { name: 'Sign in with Corp' }).click();
    await heading(other, 'Home');
    await other.goto(console.at('/account'));
    await other.getByText('corp', { exact: true }).waitFor();
    await checkPage(other);
    await other.getByRole('button', { name: /^Account:/ }).click();
    await other.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await other.waitForURL(`${provider.issuer}/**`);
  });

  test('is joined to a provider by a mailed link with all factors, and is then changed with the password only', async () => {
    const email = 'owner@localhost';
    await provider.set({ account: 'olga', accounts: { olga: { email } } });
    const other = await withoutFonts();
    await other.goto(console.at('/sign-in'));
    await other.getByRole('button', { name: 'Sign in with Corp' }).click();
    await other.getByText('No account here is joined to yours at the provider.').waitFor();
    await checkPage(other);
    await other.getByRole('button', { name: 'Mail a link to join my account' }).click();
    await other.getByText('a mail is on its way').waitFor();
    const [mail] = await mails.next(1);
    const [url = ''] = /http:\S+\/console\/link\/\S+/.exec(mail?.text ?? '') ?? [];
    await page.goto(url);
    await heading(page, 'This link is not valid');
    await other.goto(url);
    await heading(other, 'Join Corp');
    await checkPage(other);
    await other.getByLabel('Password').fill('another password of the tests');
    await other.getByRole('button', { name: 'Join' }).click();
    await other.getByLabel('Code').fill(codes.shift() ?? '');
    await other.getByRole('button', { name: 'Join' }).click();
    await heading(other, 'Home');
    const bound = await withoutFonts();
    await bound.goto(console.at('/sign-in'));
    await bound.getByRole('button', { name: 'Sign in with Corp' }).click();
    await heading(bound, 'Home');
    await bound.goto(console.at('/account'));
    await bound.getByText('You are signed in with corp, which opens Default alone.').waitFor();
    expect(await bound.getByRole('button', { name: /password|Set up|Remove|End session|Save name/ }).count()).toBe(0);
    await checkPage(bound);
  });

  test('of an invited person is made with a provider, without a password', async () => {
    const { tenants } = console.server.platform;
    const [organization] = await tenants.listOrganizations();
    const by = { organization_id: organization?.id ?? '', actor: { type: 'OTHER', metadata: {} } } as const;
    const more = { roles: ['member'], workspaceIds: [], language: null, baseUrl: console.server.url } as const;
    await tenants.invitations.invite(by, { emails: 'ivy@invited.test', ...more });
    const mail = (await mails.next(2)).find(({ to }) => to.includes('ivy@invited.test'));
    const [url = ''] = /http:\S+\/console\/link\/\S+/.exec(mail?.text ?? '') ?? [];
    await provider.set({ account: 'ivy', accounts: { ivy: { name: 'Ivy Lee' } } });
    const other = await withoutFonts();
    await other.goto(url);
    await heading(other, 'Accept the invitation');
    await checkPage(other);
    await other.getByRole('button', { name: 'Join with Corp' }).click();
    await other.getByText('signed in as Ivy Lee').waitFor();
  });

  test('service accounts are made, given a key, and deleted', async () => {
    await page.goto(console.at('/organization/service-accounts'));
    await heading(page, 'Service accounts');
    await checkPage(page);
    await page.getByRole('button', { name: 'New service account' }).click();
    await dialog(page).getByLabel('Name').fill('deploy bot');
    await dialog(page).getByLabel('Role').selectOption({ label: 'User' });
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Keys of deploy bot' }).click();
    await dialog(page).getByRole('button', { name: 'New key' }).click();
    await dialog(page).getByLabel('Name').fill('of the pipeline');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    const key = await page.getByTestId('secret').innerText();
    const headers = { authorization: `Bearer ${key}` };
    const who = await (await fetch(`${console.server.url}/v1/whoami`, { headers })).json();
    expect(who).toMatchObject({ principal: { principal_type: 'service_account', name: 'deploy bot' } });
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Delete deploy bot' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No service account yet').waitFor();
    expect((await fetch(`${console.server.url}/v1/whoami`, { headers })).status).toBe(401);
  });

  test('the sign-in rules are set by an admin who meets them', async () => {
    await page.goto(console.at('/organization/sign-in'));
    await heading(page, 'Sign-in');
    await checkPage(page);
    await page.getByLabel('Require a second factor').click();
    await page.getByText('The rules were saved.').waitFor();
  });
});
