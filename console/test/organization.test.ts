import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { call } from '../../test/support/call.ts';
import { inFull } from '../../test/support/in-full.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

/** The response status that curl receives. */
async function curl(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('curl', ['-s', '-o', '/dev/null', '-w', '%{http_code}', ...args]);
  return stdout;
}

inFull.given(chromiumPath).describe('the pages of the organization', () => {
  let opened: OpenConsole;
  let page: Page;
  beforeAll(async () => {
    opened = await openConsole();
    page = opened.page;
  });

  const open = async (path: string, heading: string) => {
    await page.goto(opened.at(path));
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  };
  const dialog = () => page.getByRole('dialog');
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });

  test('an admin key is created, shown once, grants /v1/admin, and is rejected once revoked', async () => {
    await open('/organization/admin-keys', 'Admin keys');
    await page.getByText('No admin key yet').waitFor();
    await page.getByRole('button', { name: 'New admin key' }).click();
    await dialog().getByLabel('Name').fill('People department');
    await dialog().getByLabel('Expires', { exact: true }).selectOption('date');
    await dialog().getByLabel('Expires on').fill('2999-12-31');
    expect(await dialog().getByLabel('Organization').inputValue()).toBe('Default');
    await checkPage(page);
    await shots(page, 'admin-key-new');
    await dialog().getByRole('button', { name: 'Create' }).click();
    const key = await page.getByTestId('secret').innerText();
    await checkPage(page);
    await shots(page, 'admin-key-secret');
    await dialog().getByRole('button', { name: 'Copy key' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);

    const users = () => curl('-H', `x-api-key: ${key}`, `${opened.server.url}/v1/admin/users`);
    expect(await users()).toBe('200');
    await dialog().getByRole('button', { name: 'I have copied it' }).click();
    await row('People department').waitFor();
    expect(await page.content()).not.toContain(key);
    await shots(page, 'admin-keys');

    await page.getByRole('button', { name: 'Revoke People department' }).click();
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No admin key yet').waitFor();
    expect(await users()).toBe('401');
  });

  test('a colleague accepts an invitation link in another browser and becomes a member', async () => {
    await open('/organization', 'Members');
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog().getByLabel('E-mail addresses').fill('ann@example.com\nnot an address');
    // The workspace in view is chosen already.
    expect(await dialog().getByLabel('Default').isChecked()).toBe(true);
    await dialog().getByLabel('Default').uncheck();
    await dialog().getByText('Without a workspace they can sign in, and see nothing').waitFor();
    await dialog().getByLabel('Default').check();
    await checkPage(page);
    await shots(page, 'invite');
    await dialog().getByRole('button', { name: 'Invite' }).click();
    const link = await dialog().getByText('/console/link/').innerText();
    await dialog().getByText('Invalid e-mail addresses').waitFor();
    await shots(page, 'invited');
    await dialog().getByRole('button', { name: 'Done' }).click();
    await row('ann@example.com').getByText('Invited').waitFor();

    const theirs = await opened.newPage();
    await theirs.goto(link);
    await theirs.getByRole('heading', { name: 'Accept the invitation' }).waitFor();
    await checkPage(theirs);
    await shots(theirs, 'invitation');
    await theirs.getByLabel('Your name').fill('Ann Lee');
    await theirs.getByLabel('Password').fill('correct horse battery');
    await theirs.getByRole('button', { name: 'Join' }).click();
    await theirs.getByRole('heading', { name: 'Home' }).waitFor();
    // What the role allows works at once.
    await theirs.goto(opened.at('/agents'));
    await theirs.getByText('No agent yet').waitFor();
    // A member without admin roles sees their own keys and an explanation.
    await theirs.goto(opened.at('/organization'));
    await theirs.getByText('Only administrators of Default can see this').waitFor();
    await checkPage(theirs);

    await page.reload();
    await row('Ann Lee').waitFor();
    await checkPage(page);
    await shots(page, 'members');
  });

  test('a member gets another role and is removed after confirmation', async () => {
    await open('/organization', 'Members');
    await page.getByRole('button', { name: 'Actions for ann@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Roles and workspaces' }).click();
    await dialog().getByLabel('Default').waitFor();
    await checkPage(page);
    await shots(page, 'member');
    await dialog().getByLabel('Role in the organization').selectOption('billing_manager');
    await page.getByText('ann@example.com is now billing manager.').waitFor();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await row('Ann Lee').getByText('Billing manager').waitFor();

    await page.getByRole('button', { name: 'Actions for ann@example.com' }).press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await shots(page, 'confirm');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await row('Ann Lee').waitFor({ state: 'detached' });
  });

  test('a workspace and a group are created, and the group gets members and a role', async () => {
    await open('/organization/workspaces', 'Workspaces');
    await page.getByRole('button', { name: 'New workspace' }).click();
    await dialog().getByLabel('Name').fill('Research');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await row('Research').waitFor();
    await checkPage(page);
    await shots(page, 'workspaces');

    await open('/organization/groups', 'Groups');
    await page.getByRole('button', { name: 'New group' }).click();
    await dialog().getByLabel('Name').fill('Readers');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Actions for Readers' }).click();
    await page.getByRole('menuitem', { name: 'Members and workspaces' }).click();
    await dialog().getByLabel('Member to add').selectOption({ label: 'owner@localhost' });
    await dialog().getByRole('button', { name: 'Add' }).click();
    await dialog().getByRole('button', { name: 'Remove owner@localhost' }).waitFor();
    await dialog().getByRole('tab', { name: 'Members' }).press('ArrowRight');
    await dialog().getByLabel('Workspace', { exact: true }).selectOption({ label: 'Research' });
    await dialog().getByRole('button', { name: 'Assign role' }).click();
    await dialog().getByRole('button', { name: 'Remove the role in Research' }).waitFor();
    await checkPage(page);
    await shots(page, 'group');
    await dialog().getByRole('button', { name: 'Done' }).click();
    await checkPage(page);
    await shots(page, 'groups');
  });

  test('an API key created here works', async () => {
    await open('/organization/api-keys', 'API keys');
    await page.getByRole('button', { name: 'New API key' }).click();
    await dialog().getByLabel('Name').fill('My program');
    await dialog().getByRole('button', { name: 'Create' }).click();
    const key = await page.getByTestId('secret').innerText();
    const answer = await call(opened.server, '/v1/models', { key });
    expect(answer.status).toBe(200);
    await dialog().getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('group', { name: 'Your keys in Default' }).getByText('My program').waitFor();
    await checkPage(page);
    await shots(page, 'api-keys');
  });

  test('usage is charted per day, with the numbers in a table', async () => {
    const body = { model, messages: [{ role: 'user', content: 'Hello' }] };
    expect((await call(opened.server, '/v1/chat/completions', { body })).status).toBe(200);
    await expect
      .poll(async () => {
        await open('/organization/usage', 'Usage');
        await page.getByText('Tokens in').first().waitFor();
        return page.getByRole('cell', { name: model }).count();
      })
      .toBe(1);
    const cells = await page.getByRole('row', { name: model }).getByRole('cell').allInnerTexts();
    expect(cells.slice(0, 5)).toEqual([model, '1', '7', '3', '10']);
    await page.getByRole('img', { name: 'Tokens per day, 10 in total' }).locator('canvas').waitFor();
    await checkPage(page);
    await shots(page, 'usage');
    await page.getByText('Key', { exact: true }).click();
    await page.getByRole('cell', { name: 'First key' }).waitFor();
  });

  test('a limit set here applies and can be reset to the configuration', async () => {
    await open('/organization/limits', 'Limits');
    await page.getByRole('button', { name: 'Actions for Default' }).first().click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog().getByLabel('Monthly budget').fill('250');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await row('custom limits').getByText('of 250').waitFor();
    await checkPage(page);
    await shots(page, 'limits');
    await row('custom limits').getByRole('button', { name: 'Actions for' }).click();
    await page.getByRole('menuitem', { name: 'Reset to configuration' }).click();
    await dialog().getByRole('button', { name: 'Reset' }).click();
    await row('custom limits').waitFor({ state: 'detached' });
  });

  test('the audit log is searched by words and event type', async () => {
    await open('/organization/audit-log', 'Audit log');
    const entries = page.getByRole('group', { name: 'Entries' }).getByRole('listitem');
    await entries.first().waitFor();
    await page.getByRole('searchbox').fill('research');
    await entries.filter({ hasText: 'workspace.create' }).first().waitFor();
    await expect.poll(() => entries.filter({ hasText: 'admin_api_key' }).count()).toBe(0);
    await entries.first().getByRole('button').click();
    await checkPage(page);
    await shots(page, 'audit-log-search');
    await page.getByRole('searchbox').fill('');
    await page.getByLabel('Event type').selectOption('Keys');
    await entries.filter({ hasText: 'admin_api_key.delete' }).first().waitFor();
    await expect.poll(() => entries.filter({ hasText: 'workspace.create' }).count()).toBe(0);
    await page.getByLabel('Event type').selectOption('All events');
    await shots(page, 'audit-log');
  });
});
