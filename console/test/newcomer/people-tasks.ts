import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { stepAt, totpAt } from '../../../src/tenants/sign-in/totp.ts';
import { call } from '../../../test/support/call.ts';
import { password } from '../support/open-console.ts';
import { chatModel, type Newcomer } from './newcomer.ts';

export async function invite({ page, app, go, button, dialog, copied }: Newcomer): Promise<void> {
  await go('Organization');
  await button('Invite').click();
  await dialog().getByLabel('E-mail addresses').fill('ann@example.com');
  await dialog().getByRole('button', { name: 'Invite', exact: true }).click();
  await dialog().getByRole('button', { name: 'Copy link for ann@example.com' }).click();
  const link = await copied();
  await dialog().getByRole('button', { name: 'Done' }).click();
  const colleague = await app.newPage();
  await colleague.goto(link);
  await colleague.getByLabel('Your name').fill('Ann Lee');
  await colleague.getByLabel('Password').fill(password);
  await colleague.getByRole('button', { name: 'Join', exact: true }).click();
  await colleague.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  // The defaults of the role work: there are models to choose from.
  await colleague.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Playground' }).click();
  await colleague.getByLabel('Model', { exact: true }).last().selectOption(chatModel);
  await page.bringToFront();
}

export async function keyWithBudget({ app, page, go, tab, button, dialog, copied }: Newcomer): Promise<void> {
  await go('Organization');
  await tab('API keys');
  await button('New API key').click();
  await dialog().getByLabel('Name').fill('My program');
  await dialog().getByText('Rate and budget').click();
  await dialog().getByLabel('Monthly budget').fill('5');
  await dialog().getByRole('button', { name: 'Create' }).click();
  await dialog().getByRole('button', { name: 'Copy key' }).click();
  const key = await copied();
  await dialog().getByRole('button', { name: 'I have copied it' }).click();
  expect((await call(app.server, '/v1/models', { key })).status).toBe(200);
  await tab('Limits');
  const row = page.getByRole('row').filter({ hasText: 'My program' });
  await row.getByText('0 of 5').waitFor();
}

export async function account({ app, page, button, dialog, copied }: Newcomer): Promise<void> {
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Account', exact: true }).click();
  await page.getByLabel('Present password').fill(password);
  await page.getByLabel('New password').fill('a newer password of the tests');
  await button('Change password').click();
  await page.getByText('The password was changed.').waitFor();
  await button('Set up').click();
  await dialog().getByLabel('Password').fill('a newer password of the tests');
  await dialog().getByRole('button', { name: 'Continue' }).click();
  await dialog().getByRole('button', { name: /^Copy/ }).first().click();
  const code = totpAt(await copied(), stepAt(Date.now()));
  await dialog().getByLabel('Code of the app').fill(code);
  await dialog().getByRole('button', { name: 'Turn on' }).click();
  await button('I have stored them').click();
  await page.getByText('10 recovery codes are left.').waitFor();
  const other = await app.newPage();
  await other.goto(app.at('/'));
  await other.getByLabel('E-mail').fill('owner@localhost');
  await other.getByLabel('Password').fill('a newer password of the tests');
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.getByLabel('Code').waitFor();
  await page.bringToFront();
}

export async function findByCtrlK({ page }: Newcomer): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to a page or search by name' }).fill('second factor');
  await page.getByRole('option', { name: /^Account/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to a page or search by name' }).fill('smollm2');
  await page
    .getByRole('option', { name: new RegExp(chatModel) })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: /SmolLM2|smollm2/ }).waitFor();
}

export async function usageCsv({ page, go, tab, button }: Newcomer): Promise<void> {
  await go('Organization');
  await tab('Usage');
  await page.getByRole('cell', { name: chatModel }).first().waitFor();
  const downloading = page.waitForEvent('download');
  await button('CSV').click();
  const csv = readFileSync(await (await downloading).path(), 'utf8');
  expect(csv.split('\n').length).toBeGreaterThan(1);
  expect(csv).toContain(chatModel);
}
