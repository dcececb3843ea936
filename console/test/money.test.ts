import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { inFull } from '../../test/support/in-full.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const LONG_MS = 90_000;

inFull.given(chromiumPath).describe('keys and money', () => {
  let app: OpenConsole;
  let page: Page;
  beforeAll(async () => {
    app = await openConsole();
    page = app.page;
    const url = app.upstream.url;
    const other = { id: 'other', engine: 'upstream', kind: 'chat', url, private_network: true };
    const { body } = await fetchAsAdmin(app, other);
    expect(body).toMatchObject({ id: 'other' });
  });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const chat = (key: string, name = model) =>
    call(app.server, '/v1/chat/completions', {
      key,
      body: { model: name, messages: [{ role: 'user', content: 'Hi' }] },
    });

  it(
    'a key is two clicks away and expires; one with models and a budget is limited to them',
    async () => {
      await page.goto(app.at('/organization/api-keys'));
      await button('New API key').first().click();
      await button('Create').click();
      const plain = await page.getByTestId('secret').innerText();
      expect((await chat(plain)).status).toBe(200);
      await button('I have copied it').click();
      await button('New API key').first().click();
      await dialog().getByLabel('Name').fill('Limited');
      await dialog().getByText('Models: all').click();
      await dialog().getByLabel(model, { exact: true }).check();
      await dialog().getByText('Rate and budget').click();
      await dialog().getByLabel('Monthly budget').fill('5');
      await checkPage(page);
      await shots(page, 'key-dialog');
      await button('Create').click();
      const limited = await page.getByTestId('secret').innerText();
      await button('I have copied it').click();
      expect((await chat(limited)).status).toBe(200);
      const refused = await chat(limited, 'other');
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('may not use the model other')]);
      const listed = (await call(app.server, '/v1/models', { key: limited })).body as { data: { id: string }[] };
      expect(listed.data.map(({ id }) => id)).not.toContain('other');
      await page.goto(app.at('/organization/limits'));
      await page
        .getByRole('cell', { name: /^Limited/ })
        .first()
        .waitFor();
      await page.getByText('0 of 5').first().waitFor();
      await checkPage(page);
      await page.getByRole('button', { name: 'Actions for Limited' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await dialog().getByLabel('Monthly budget').fill('0');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await page.getByText('The budget of Limited is spent').waitFor();
      await page.goto(app.at('/'));
      await page.getByText('The budget of Limited is spent, and its requests are refused: 0 of 0.').waitFor();
      await checkPage(page);
      await shots(page, 'home-budget');
    },
    LONG_MS,
  );

  it(
    'usage is shown by hour for each user, and downloaded as CSV',
    async () => {
      await page.goto(app.at('/organization/usage'));
      await page.getByText('Today', { exact: true }).click();
      await page.getByText('User', { exact: true }).click();
      await page.getByText('Tokens per hour').waitFor();
      await page.getByRole('cell', { name: 'owner@localhost' }).waitFor();
      const downloading = page.waitForEvent('download');
      await button('CSV').click();
      const csv = readFileSync(await (await downloading).path(), 'utf8');
      expect(csv).toMatch(/^hour,user_id,name,requests,/);
      expect(csv).toContain(',owner@localhost,');
      await checkPage(page);
      await shots(page, 'usage');
    },
    LONG_MS,
  );
});

async function fetchAsAdmin({ server }: OpenConsole, body: object) {
  const [organization] = await server.platform.tenants.listOrganizations();
  const key = await server.platform.tenants.keys.create({ kind: 'admin', organization: organization?.id ?? '' });
  return call(server, '/v1/admin/models', { key: '', headers: { 'x-api-key': key.value }, body });
}
