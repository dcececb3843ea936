import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { inFull } from '../../test/support/in-full.ts';
import { startFakeMcp } from '../../test/support/mcp-server.ts';
import { completion, json } from '../../test/support/upstream.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const LONG_MS = 90_000;

inFull.given(chromiumPath).describe('the first hour', () => {
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
    'a model that is not served stands beside its field, and the API refuses it in the words of the contract',
    async () => {
      const refused = await call(app.server, '/v1/agents', { body: { name: 'Old', model: 'gone' } });
      expect(refused).toMatchObject({ status: 400, body: { type: 'invalid_model', code: '1500' } });
      await page.goto(app.at('/agents/new'));
      await page.getByLabel('Name', { exact: true }).fill('Old');
      await page.getByLabel('Model', { exact: true }).selectOption(model);
      await page.route('**/v1/agents', (route) =>
        route.request().method() === 'POST'
          ? route.continue({ postData: JSON.stringify({ name: 'Old', model: 'gone' }) })
          : route.continue(),
      );
      await button('Create agent').click();
      await page.getByText('This model is not served. Choose another.').waitFor();
      await page.unroute('**/v1/agents');
      await page.evaluate('sessionStorage.clear()');
    },
    LONG_MS,
  );

  it(
    'what was typed into an agent or a prompt is there again after another page and after a reload',
    async () => {
      const again = async (open: () => Promise<void>, check: () => Promise<void>) => {
        await page.goto(app.at('/models'));
        await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
        await open();
        await check();
        await page.reload();
        await open();
        await check();
      };
      await page.goto(app.at('/agents/new'));
      await page.getByLabel('Name', { exact: true }).fill('Half done');
      await again(
        async () => void (await page.goto(app.at('/agents/new'))),
        async () => {
          await page.getByText('Your unsaved changes are back.').waitFor();
          expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half done');
        },
      );
      await checkPage(page);
      await shots(page, 'agent-restored');
      await button('Discard changes').click();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');

      await page.goto(app.at('/prompts'));
      await button('New prompt').first().click();
      await page.getByRole('dialog').getByLabel('Text').fill('Half a prompt');
      await again(
        async () => {
          await page.goto(app.at('/prompts'));
          await button('New prompt').first().click();
        },
        async () => expect(await page.getByRole('dialog').getByLabel('Text').inputValue()).toBe('Half a prompt'),
      );
      await button('Discard changes').click();
      expect(await page.getByRole('dialog').getByLabel('Text').inputValue()).toBe('');
      await button('Cancel').click();

      const created = await call(app.server, '/v2/prompts', {
        body: { name: 'greeting', definition: { content: 'Hello {{name}}.' } },
      });
      const prompt = app.at(`/prompts/${(created.body as { id: string }).id}`);
      await page.goto(prompt);
      await button('Edit').click();
      await page.getByLabel('New version').fill('Good day {{name}}.');
      await page.getByRole('tab', { name: 'History' }).click();
      await page.getByRole('tab', { name: 'Text' }).click();
      const check = async () => expect(await page.getByLabel('New version').inputValue()).toBe('Good day {{name}}.');
      await check();
      await again(async () => void (await page.goto(prompt)), check);
      await button('Save as new version').click();
      await page.getByText('Saved as version 2.').waitFor();
      await page.reload();
      await button('Edit').waitFor();
    },
    LONG_MS,
  );

  it(
    'names stand where the API has ids: who moved an alias, and whose conversation it is',
    async () => {
      const { body } = await call(app.server, '/v2/prompts', {
        body: { name: 'moved', definition: { content: 'Hi.' }, aliases: ['production'] },
      });
      await page.goto(app.at(`/prompts/${(body as { id: string }).id}`));
      await page.getByRole('tab', { name: 'Aliases' }).click();
      await page
        .getByRole('table', { name: 'Alias changes, newest first' })
        .getByText(app.server.config.bootstrap.ownerEmail)
        .waitFor();

      app.upstream.answerWith((_, response) => json(response, 200, completion('Cold.')));
      const agent = (await call(app.server, '/v1/agents', { body: { name: 'Weather desk', model } })).body as {
        id: string;
      };
      for (const given of [{ agent_id: agent.id }, { model }])
        await call(app.server, '/v1/conversations', { body: { ...given, inputs: 'How is the wind today?' } });
      await page.goto(app.at('/conversations'));
      await page.getByRole('link', { name: 'Weather desk' }).waitFor();
      await page.getByRole('link', { name: 'How is the wind today?' }).first().waitFor();
      await checkPage(page);
      await shots(page, 'conversation-names');
      await call(app.server, `/v1/agents/${agent.id}`, { method: 'DELETE' });
      await page.reload();
      await page.getByText('deleted agent').waitFor();
      await page.goto(app.at('/organization/audit-log'));
      await page.getByText(`${app.server.config.bootstrap.ownerEmail}, First key`).first().waitFor();
      await checkPage(page);
      await shots(page, 'audit-names');
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
      .locator('div:has(> label)')
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
