import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { inFull } from '../../test/support/in-full.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

inFull.given(chromiumPath).describe('the prompts', () => {
  let opened: OpenConsole;
  beforeAll(async () => {
    opened = await openConsole();
  });

  it('are edited, compared by words, moved by alias with their users shown, and opened in the playground', async () => {
    const { page, server } = opened;
    await page.goto(opened.at('/prompts'));
    await page.getByText('No prompt yet').waitFor();
    await checkPage(page);
    await page.getByRole('button', { name: 'New prompt' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('greeting');
    await dialog.getByLabel('Text').fill('Greet {{customer}} in one short sentence.');
    await checkPage(page);
    await dialog.getByRole('button', { name: 'Create' }).click();

    await page.getByRole('heading', { level: 1, name: 'greeting' }).waitFor();
    await page.getByLabel('customer').fill('Ms Ito');
    await page.getByText('Greet Ms Ito in one short sentence.').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('New version').fill('Greet {{customer}} in one warm sentence.');
    await page.getByLabel('Notes').fill('warmer');
    await page.getByRole('button', { name: 'Save as new version' }).click();
    await page.getByText('Saved as version 2.').waitFor();
    await checkPage(page);
    await shots(page, 'prompt-text');

    await page.getByRole('tab', { name: 'History' }).click();
    await expect.poll(() => page.locator('ins').allTextContents()).toEqual(['warm']);
    expect(await page.locator('del').allTextContents()).toEqual(['short']);
    await checkPage(page);
    await shots(page, 'prompt-history');

    await page.getByRole('tab', { name: 'Aliases' }).click();
    await page.getByLabel('New alias').fill('production');
    await page.getByLabel('Points to').selectOption('1');
    await page.getByRole('button', { name: 'Add alias' }).click();
    await page.getByText('production now points to version 1.').waitFor();
    const agent = { name: 'Greeter', model: 'prompt:greeting@production' };
    expect((await call(server, '/v1/agents', { body: agent })).status).toBe(200);
    await page.getByLabel('Version of production').selectOption('2');
    await page.getByRole('dialog').getByText('Greeter').waitFor();
    await checkPage(page);
    await shots(page, 'prompt-move');
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await page.getByText('production now points to version 2.').waitFor();
    expect((await call(server, '/v2/prompts/greeting?alias=production')).body).toMatchObject({ version: 2 });
    await page.getByText('1 → 2').waitFor();

    await page.getByRole('link', { name: 'Open in playground' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await page.getByLabel('Model for this prompt').selectOption(model);
    await page.getByRole('button', { name: 'Use this model' }).click();
    await page.getByLabel('customer').fill('Ms Ito');
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello!');
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    await expect
      .poll(() => opened.upstream.calls.at(-1)?.body.messages)
      .toMatchObject([{ role: 'system', content: 'Greet Ms Ito in one warm sentence.' }, { content: 'Hello!' }]);
  });

  it('are listed in pages, found by part of their name, and deleted after confirmation', async () => {
    const { page, server } = opened;
    for (let n = 0; n < 30; n++) {
      const body = { name: `letter-${n}`, title: `Letter number ${n}`, definition: { content: 'x' } };
      expect((await call(server, '/v2/prompts', { body })).status).toBe(200);
    }
    await page.goto(opened.at('/prompts'));
    await page.getByRole('link', { name: 'letter-29' }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'letter-0', exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search prompts' }).fill('NUMBER 17');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await checkPage(page);
    await shots(page, 'prompts-search');
    await page.getByRole('link', { name: 'letter-17' }).click();
    await page.getByRole('button', { name: 'Actions for letter-17' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('No agent in this workspace uses it.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The prompt letter-17 was deleted.').waitFor();
    expect((await call(server, '/v2/prompts/letter-17')).status).toBe(404);
  });
});
