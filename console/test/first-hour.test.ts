import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { startFakeMcp } from '../../test/support/mcp-server.ts';
import { checkPage } from './support/check-page.ts';
import { describeInBrowser, model, type OpenConsole, openConsole } from './support/open-console.ts';

const LONG_MS = 90_000;

describeInBrowser('the first hour', () => {
  let app: OpenConsole;
  let page: Page;
  beforeAll(async () => {
    const wiki = await startFakeMcp([{ name: 'search_pages' }]);
    app = await openConsole({ file: { connectors: [{ id: 'wiki', url: wiki.url }] } });
    page = app.page;
    const skill = { name: 'tides', definition: { description: 'When the sea comes', body: 'Look it up.' } };
    const made = await call(app.server, '/v2/skills', { body: skill });
    expect(made.status, made.text).toBeLessThan(300);
  });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog', { name: 'Leave without saving?' });

  it(
    'skills and connectors of an agent are chosen from what exists',
    async () => {
      await page.goto(app.at('/agents/new'));
      await page.getByLabel('Name', { exact: true }).fill('Pilot');
      await page.getByLabel('Model', { exact: true }).selectOption(model);
      await button('Add skill').click();
      await button('Add connector').click();
      await button('Create agent').click();
      await page.getByText('Choose a skill or remove this entry.').waitFor();
      await page.getByText('Choose a connector or remove this entry.').waitFor();
      await page.getByLabel('Skill', { exact: true }).selectOption('tides');
      await page.getByLabel('Version or alias').fill('1');
      await page.getByLabel('Connector', { exact: true }).selectOption({ label: 'wiki' });
      await checkPage(page);
      await button('Create agent').click();
      await page.getByRole('heading', { level: 1, name: 'Pilot' }).waitFor();
      const [agent] = (await call(app.server, '/v1/agents')).body as { metadata: object; tools: object[] }[];
      expect(agent).toMatchObject({ metadata: { skills: ['tides@1'] }, tools: [{ type: 'connector' }] });
    },
    LONG_MS,
  );

  it(
    'an agent whose model is gone is not saved before another one is chosen',
    async () => {
      const { body } = await call(app.server, '/v1/agents', { body: { name: 'Old', model: 'gone' } });
      await page.goto(app.at(`/agents/${(body as { id: string }).id}`));
      await page.getByLabel('Description').fill('Still here');
      await button('Save as new version').click();
      await page.getByText('This model is not served. Choose another.').waitFor();
      await page.getByLabel('Model', { exact: true }).selectOption(model);
      await button('Save as new version').click();
      await page.getByText('Version 1 is now current.').waitFor();
    },
    LONG_MS,
  );

  it(
    'what was typed into an agent or a prompt is not lost without a question',
    async () => {
      await page.goto(app.at('/agents/new'));
      await page.getByLabel('Name', { exact: true }).fill('Half done');
      await page.getByRole('link', { name: 'Agents' }).last().click();
      await dialog().waitFor();
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half done');
      await page.getByRole('link', { name: 'Agents' }).last().click();
      await dialog().getByRole('button', { name: 'Leave' }).click();
      await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();

      const created = await call(app.server, '/v2/prompts', {
        body: { name: 'greeting', definition: { content: 'Hello {{name}}.' } },
      });
      await page.goto(app.at(`/prompts/${(created.body as { id: string }).id}`));
      await button('Edit').click();
      await page.getByLabel('New version').fill('Good day {{name}}.');
      await page.getByRole('link', { name: 'Prompts' }).last().click();
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await button('Save as new version').click();
      await page.getByText('Saved as version 2.').waitFor();
    },
    LONG_MS,
  );

  it('what is wrong with a value stands beside its field, in words', async () => {
    await page.goto(app.at('/prompts'));
    await button('New prompt').first().click();
    await page.getByLabel('Name').fill('no spaces here');
    await page.getByLabel('Text').fill('Hello.');
    await button('Create').click();
    const field = page
      .getByRole('dialog')
      .locator('.field')
      .filter({ has: page.getByLabel('Name') });
    await field.getByText('This has characters that are not allowed here.').waitFor();
    expect(await page.getByRole('dialog').innerText()).not.toContain('String should match');
    await checkPage(page);
  });

  it(
    'a server that does not answer is shown as such, until it answers again',
    async () => {
      await page.goto(app.at('/agents'));
      await page.getByRole('link', { name: 'Pilot' }).first().waitFor();
      const calls = /\/(v1|v2|console\/api|healthz)(\/|$|\?)/;
      await page.route(calls, (route) => route.abort('connectionrefused'));
      await page.getByRole('link', { name: 'Prompts' }).first().click();
      const notice = page.getByText('The server cannot be reached. What you see may be out of date');
      await notice.waitFor();
      await page.unroute(calls);
      await notice.waitFor({ state: 'detached' });
      await page.getByText('greeting').first().waitFor();
    },
    LONG_MS,
  );
});
