import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { atEnd } from '../../test/support/cleanup.ts';
import { sqliteForTests, temporaryDir } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { buildConsole } from './support/build-console.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { shots } from './support/shots.ts';

const password = 'correct horse battery';
const owner = 'owner@localhost';

/** As in production: the server serves the built app with its own headers. */
async function start(): Promise<TestServer> {
  const sources = join(temporaryDir(), 'console');
  mkdirSync(sources);
  symlinkSync(await buildConsole(), join(sources, 'dist'));
  return startTestServer(sqliteForTests(), { console: { sources } });
}

inFull.given(chromiumPath).describe('signing in', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    server = await start();
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
    atEnd(() => browser.close());
    page = await newPage();
  });

  /** A separate browser without cookies. */
  async function newPage(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    context.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('the server responded with a status of 4'))
        complaints.push(message.text());
    });
    context.on('weberror', (error) => complaints.push(String(error.error())));
    return context.newPage();
  }
  const heading = (on: Page, name: string) => on.getByRole('heading', { level: 1, name }).waitFor();
  const signOut = async (on: Page, item: string) => {
    await on.getByRole('button', { name: /account/i }).click();
    await on.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const signIn = async (on: Page, email: string, secret: string) => {
    await on.getByLabel('E-mail').fill(email);
    await on.getByLabel('Password').fill(secret);
    await on.getByRole('button', { name: 'Sign in' }).click();
  };

  test('by the one-time link of the first start, then again with the password', async () => {
    const path = server.bootstrap.created ? server.bootstrap.link.path : '';
    await page.goto(server.url + path);
    await heading(page, 'Welcome');
    await checkPage(page);
    await shots(page, 'link-first');
    await page.getByLabel('Your name').fill('Olive Owner');
    await page.getByLabel('Password').fill(password);
    const refused: string[] = [];
    page.on('response', (answer) => void (answer.status() >= 400 && refused.push(answer.url())));
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await heading(page, 'Home');
    // The used link is not requested again.
    expect(refused).toEqual([]);
    expect(await page.evaluate('document.cookie')).toBe('');

    const again = await newPage();
    await again.goto(server.url + path);
    await heading(again, 'This link is not valid');
    await checkPage(again);

    await signOut(page, 'Sign out');
    await heading(page, 'Sign in');
    await checkPage(page);
    await shots(page, 'sign-in');
    await signIn(page, owner, 'not the password');
    await page.getByRole('alert').filter({ hasText: 'password is wrong' }).waitFor();
    await checkPage(page);
    await signIn(page, owner, password);
    await heading(page, 'Home');
  });

  test('by an invitation in another browser, while the first session stays', async () => {
    const organization = await server.platform.tenants.chooseOrganization(undefined);
    const { links } = await server.platform.tenants.invitations.invite(
      { organization_id: organization.id, actor: { type: 'OTHER', metadata: {} } },
      { emails: 'ann@example.test', roles: ['member'], workspaceIds: [], language: null, baseUrl: server.url },
    );
    const guest = await newPage();
    await guest.goto(links[0]?.url ?? '');
    await heading(guest, 'Accept the invitation');
    await checkPage(guest);
    await shots(guest, 'link-invitation');
    await guest.getByLabel('Your name').fill('Ann Lee');
    await guest.getByLabel('Password').fill(password);
    await guest.getByRole('button', { name: 'Join' }).click();
    await heading(guest, 'Home');
    await page.reload();
    await heading(page, 'Home');
  });

  test('as the owner of an account that another organization invites: by its link, or on the home page', async () => {
    const { tenants, database } = server.platform;
    const invite = async (name: string) => {
      const ownerEmail = `owner@${name.toLowerCase()}.test`;
      const { id } = await tenants.createOrganization({ name, plan: 'team', ownerEmail });
      const { links } = await tenants.invitations.invite(
        { organization_id: id, actor: { type: 'OTHER', metadata: {} } },
        { emails: 'ann@example.test', roles: ['member'], workspaceIds: [], language: null, baseUrl: server.url },
      );
      return links[0]?.url ?? '';
    };
    const ann = await newPage();
    await ann.goto(await invite('Bank'));
    await heading(ann, 'Accept the invitation');
    await ann.getByText('Sign in to your account to join.').waitFor();
    await checkPage(ann);
    await ann.goto(`${server.url}/console/`);
    await heading(ann, 'Sign in');
    await signIn(ann, 'ann@example.test', password);
    await heading(ann, 'Home');
    await ann.goto(await invite('Club'));
    await ann.getByText('You are signed in as ann@example.test').waitFor();
    await checkPage(ann);
    await shots(ann, 'link-consent');
    await ann.getByRole('button', { name: 'Join' }).click();
    await heading(ann, 'Home');
    await database.db
      .updateTable('users')
      .set({ email_proven_at: new Date().toISOString() })
      .where('email', '=', 'ann@example.test')
      .execute();
    await ann.reload();
    await ann.getByText('Bank invites you.').waitFor();
    await checkPage(ann);
    await ann.getByRole('button', { name: 'Decline' }).click();
    await ann.getByText('Bank invites you.').waitFor({ state: 'detached' });
  });

  test('signing out everywhere ends all sessions', async () => {
    const other = await newPage();
    await other.goto(`${server.url}/console/`);
    await heading(other, 'Sign in');
    await signIn(other, owner, password);
    await heading(other, 'Home');
    await signOut(page, 'Sign out everywhere');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await heading(page, 'Sign in');
    await other.reload();
    await heading(other, 'Sign in');
  });

  test('causes no policy violations or script errors in the browser console', () => {
    expect(complaints).toEqual([]);
  });
});
