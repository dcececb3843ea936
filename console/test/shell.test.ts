import { beforeAll, expect, test } from 'vitest';
import { call } from '../../test/support/call.ts';
import { inFull } from '../../test/support/in-full.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole, password } from './support/open-console.ts';
import { shots } from './support/shots.ts';

inFull.given(chromiumPath).describe('the console', () => {
  let opened: OpenConsole;
  beforeAll(async () => {
    opened = await openConsole();
  });

  test('an unknown address shows a 404 page and keeps the navigation', async () => {
    const { page, at } = opened;
    await page.goto(at('/nowhere/at/all'));
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Models' }).waitFor();
    expect(await page.title()).toBe('Not found · Tramontane');
    await checkPage(page);
    await shots(page, 'not-found');
  });

  test('a navigation moves the focus, sets the title and is announced to screen readers', async () => {
    const { page, at } = opened;
    await page.goto(at('/'));
    await page.getByRole('navigation').getByRole('link', { name: 'Models' }).click();
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await expect.poll(() => page.title()).toBe('Models · Tramontane');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    expect(await page.getByRole('status').filter({ hasText: 'Models' }).count()).toBe(1);
  });

  test('the first tab stop skips the navigation', async () => {
    const { page, at } = opened;
    await page.goto(at('/models'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
  });

  test('Ctrl K goes to a page by its name', async () => {
    const { page, at } = opened;
    await page.goto(at('/'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to a page or search by name' }).fill('spee');
    await checkPage(page);
    await shots(page, 'command-palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Speech' }).waitFor();
  });

  test('Ctrl K finds objects by name and opens them', async () => {
    const { page, at, server } = opened;
    expect((await call(server, '/v1/libraries', { body: { name: 'Charts of the sea' } })).status).toBe(201);
    expect((await call(server, '/v1/agents', { body: { name: 'Sea pilot', model } })).status).toBe(200);
    await page.goto(at('/models'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to a page or search by name' }).fill('sea');
    await page.getByRole('option', { name: /^Sea pilot/ }).waitFor();
    await checkPage(page);
    await page.getByRole('option', { name: /Charts of the sea/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Charts of the sea' }).waitFor();
  });

  test('Ctrl K finds by content and by ID, settings and docs, and offers what to do with a thing', async () => {
    const { page, at, server } = opened;
    const definition = { content: 'Describe the levanter in two lines.' };
    expect((await call(server, '/v2/prompts', { body: { name: 'winds', definition } })).status).toBe(200);
    const agent = (await call(server, '/v1/agents', { body: { name: 'Harbour desk', model } })).body as { id: string };
    const seek = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Go to a page or search by name' }).fill(text);
    };
    await page.goto(at('/models'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await seek('levanter');
    await page.getByRole('option', { name: /winds.*Describe the levanter/ }).waitFor();
    await checkPage(page);
    await shots(page, 'search-everywhere');
    await page.getByRole('option', { name: /^Try winds/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await seek(agent.id);
    await page.getByRole('option', { name: /^Harbour desk/ }).waitFor();
    await page.getByRole('option', { name: /^Chat with Harbour desk/ }).click();
    await page.getByRole('heading', { level: 1, name: 'New conversation' }).waitFor();
    await seek('second factor');
    await page.getByRole('option', { name: /^Account/ }).waitFor();
    await page.getByRole('combobox', { name: 'Go to a page or search by name' }).fill('aliases, variables');
    await page.getByRole('option', { name: /^Prompts.*Documentation/ }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('the chosen theme survives a reload and overrides the system setting', async () => {
    const { page, at } = opened;
    await page.goto(at('/models'));
    await page.getByRole('radio', { name: 'Dark' }).check();
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    await page.getByRole('radio', { name: 'System' }).check();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('light dark');
  });

  test('on a narrow screen the navigation is a drawer that closes after a choice', async () => {
    const { page, at } = opened;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(at('/models'));
    await page.getByRole('button', { name: 'Open navigation' }).click();
    const drawer = page.getByRole('dialog', { name: 'Navigation' });
    await checkPage(page);
    await shots(page, 'drawer');
    await drawer.getByRole('link', { name: 'Speech' }).click();
    await page.getByRole('heading', { level: 1, name: 'Speech' }).waitFor();
    await drawer.waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('an ended session leads to the sign-in page and back', async () => {
    const { page, at, server } = opened;
    const signIn = async () => {
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      await page.getByLabel('E-mail').fill(server.config.bootstrap.ownerEmail);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await opened.context.clearCookies();
    await page.goto(at('/organization?from=here'));
    await signIn();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    expect(page.url()).toBe(at('/organization?from=here'));

    await opened.context.clearCookies();
    await page.getByRole('navigation').getByRole('link', { name: 'Models' }).click();
    await page.getByText('Your session ended').waitFor();
    await checkPage(page);
    await shots(page, 'sign-in');
    await signIn();
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    expect(page.url()).toBe(at('/models'));
  });

  test('a wrong password is rejected with advice', async () => {
    const page = await opened.newPage();
    await page.goto(opened.at('/sign-in'));
    await page.getByLabel('E-mail').fill('nobody@example.com');
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await checkPage(page);
    await shots(page, 'sign-in-refused');
    await page.goto(opened.at('/link/used-up'));
    await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
    await checkPage(page);
    await shots(page, 'link-used');
  });
});
