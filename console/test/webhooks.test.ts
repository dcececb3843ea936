import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../src/notifications/receive-for-tests.ts';
import { deliverFromGithub } from '../../src/webhooks/send-for-tests.ts';
import { startWorker } from '../../src/workflows/workflows-for-tests.ts';
import { inFull } from '../../test/support/in-full.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const LONG_MS = 90_000;

inFull.given(chromiumPath).describe('webhooks and notifications', () => {
  let app: OpenConsole;
  let page: Page;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    app = await openConsole({ file: { outbound: { allow: [receiver.place] } } });
    page = app.page;
    await startWorker(app.server, { workflows: { note: async (_, input) => input }, steps: {} });
  });
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  it(
    'a webhook is made with a secret, gets a trigger, and shows deliveries and events with their reason',
    async () => {
      await page.goto(app.at('/webhooks'));
      await page.getByText('No webhook yet').waitFor();
      await checkPage(page);
      await button('New webhook').first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Repository');
      await checkPage(page);
      await dialog.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByRole('heading', { level: 1, name: 'Repository' }).waitFor();
      await button('Show secret').click();
      const secret = await page.getByTestId('secret').innerText();
      await button('I have copied it').click();
      const url = await page.locator('pre code').first().innerText();
      await button('New trigger').click();
      await dialog.getByLabel('Title').fill('On each push');
      await dialog.getByLabel('Name or id of the workflow').fill('note');
      await dialog.getByLabel('Filter').fill('event_type ==');
      await dialog.getByRole('button', { name: 'Create trigger' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel('Filter').fill("event_type == 'push'");
      await checkPage(page);
      await dialog.getByRole('button', { name: 'Create trigger' }).click();
      await page.getByText('On each push', { exact: true }).waitFor();
      expect((await deliverFromGithub(app.server, { url }, secret, { a: 1 })).status).toBe(200);
      expect((await deliverFromGithub(app.server, { url }, 'another', { a: 1 })).status).toBe(401);
      await page.getByText('1 of 1 trigger matched.').waitFor();
      await page.getByText('The signature is not the one').waitFor();
      await checkPage(page);
      await shots(page, 'webhook');
      await button('Events').click();
      await dialog.getByText('TRIGGERED').waitFor();
      await checkPage(page);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await button('Delete').click();
      await dialog.getByRole('button', { name: 'Delete webhook' }).click();
      await page.getByText('No webhook yet').waitFor();
    },
    LONG_MS,
  );

  it(
    'an endpoint is made with a secret that is shown once, tested, and its messages are replayed',
    async () => {
      await page.goto(app.at('/notifications'));
      await page.getByText('No endpoint yet').waitFor();
      await button('New endpoint').first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Address').fill('http://10.0.0.1/');
      await dialog.getByRole('button', { name: 'Create endpoint' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel('Address').fill(`${receiver.url}/hook`);
      await dialog.getByLabel('key.created').check();
      await checkPage(page);
      await dialog.getByRole('button', { name: 'Create endpoint' }).click();
      expect(await page.getByTestId('secret').innerText()).toMatch(/^whsec_/);
      await checkPage(page);
      await button('I have copied it').click();
      await page.getByRole('link', { name: `${receiver.url}/hook` }).click();
      await button('Send test').click();
      await page.getByRole('cell', { name: 'delivered' }).waitFor();
      expect(receiver.received).toHaveLength(1);
      await checkPage(page);
      await shots(page, 'notifications');
      await button('Replay').click();
      await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2);
      await page.getByRole('button', { name: 'Actions of the endpoint' }).click();
      await page.getByRole('menuitem', { name: 'Disable' }).click();
      await page.getByText('Disabled', { exact: true }).waitFor();
    },
    LONG_MS,
  );
});
