import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { startScript } from '../../../src/conversations/conversations-for-tests.ts';
import { call } from '../../../test/support/call.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { checkPage } from '../support/check-page.ts';
import { chromiumPath } from '../support/chromium.ts';
import { type OpenConsole, openConsole } from '../support/open-console.ts';
import { shots } from '../support/shots.ts';

type Script = Awaited<ReturnType<typeof startScript>>;

const runs = (code: string, id: string) => ({ calls: [{ name: 'code_interpreter', arguments: { code }, id }] });

// Long journeys through many page states are slow on a busy machine.
const LONG_MS = 90_000;

inFull.given(chromiumPath).describe('agents and conversations', () => {
  let app: OpenConsole;
  let script: Script;
  let page: Page;
  beforeAll(async () => {
    script = await startScript();
    const capabilities = { completion_chat: true, function_calling: true, reasoning: true };
    const models = [
      { id: 'small', engine: 'upstream', url: script.upstream.url, upstream_model: 'scripted', capabilities },
    ];
    app = await openConsole({ file: { models } });
    page = app.page;
    page.setDefaultTimeout(20_000);
  });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const message = () => page.getByRole('textbox', { name: 'Message' });

  it(
    'builds an agent; each change is a version that can be compared and restored',
    async () => {
      await page.goto(app.at('/agents'));
      await page.getByText('No agent yet').waitFor();
      await shots(page, 'agents-empty');
      await page.getByRole('main').getByRole('link', { name: 'New agent' }).first().click();
      await button('Create agent').click();
      await page.getByText('Enter a name.').waitFor();
      await shots(page, 'agent-problems');
      await page.getByLabel('Name', { exact: true }).fill('Harbour master');
      await page.getByLabel('Model', { exact: true }).selectOption('small');
      await page.getByLabel('Description').fill('Knows winds, tides and where a ship may lie.');
      await page.getByLabel('Instructions').fill('Answer in one sentence. Compute with Python.');
      await page.getByRole('group', { name: 'Code interpreter' }).getByLabel('With approval').check();
      await page.getByLabel('Stop sequences').fill('END\nSTOP');
      await page.getByLabel('Response format').selectOption('json_schema');
      await button('Create agent').click();
      await page.getByText('Enter a JSON schema.').waitFor();
      await page.getByLabel('Response format').selectOption('text');
      await checkPage(page);
      await button('Create agent').click();
      await page.getByRole('heading', { level: 1, name: 'Harbour master' }).waitFor();
      await page.getByLabel('Instructions').fill('Answer in two sentences. Compute with Python.');
      await page.getByLabel('Version notes').fill('Longer answers');
      await button('Save as new version').click();
      await page.getByText('Version 1 is now current.').waitFor();
      await shots(page, 'agent-page');
      await page.getByRole('tab', { name: 'Versions 2' }).click();
      await page.getByText('Longer answers').waitFor();
      await button('Compare version 0').click();
      const changes = page.getByRole('region', { name: 'Instructions' });
      expect(await changes.locator('ins').allInnerTexts()).toEqual(['two', 'sentences']);
      await shots(page, 'agent-compare');
      await button('Close').click();
      await button('Actions for version 0').click();
      await page.getByRole('menuitem', { name: 'Aliases' }).click();
      await page.getByLabel('Alias', { exact: true }).fill('production');
      await button('Add alias').click();
      await page.getByRole('row', { name: /production/ }).waitFor();
      await checkPage(page);
      await shots(page, 'agent-versions');
      await button('Actions for version 0').click();
      await page.getByRole('menuitem', { name: 'Make current' }).click();
      await button('Use version 0').click();
      await page.getByText('Version 0 is now current.').waitFor();
      const { body } = await call(app.server, '/v1/agents');
      expect(body).toMatchObject([
        {
          name: 'Harbour master',
          version: 0,
          versions: [0, 1],
          completion_args: { stop: ['END', 'STOP'], tool_choice: 'auto' },
          tools: [{ type: 'code_interpreter', tool_configuration: { requires_confirmation: ['code_interpreter'] } }],
        },
      ]);
    },
    LONG_MS,
  );

  it(
    'chats with an agent and runs a tool only after approval',
    async () => {
      script.says(runs('print(6 * 7)', 'call_a001'));
      await page.goto(app.at('/conversations'));
      await page.getByText('No conversation yet').waitFor();
      await shots(page, 'conversations-empty');
      await page.goto(app.at('/agents'));
      await page.getByRole('link', { name: 'Chat with Harbour master' }).click();
      await message().fill('How much is six times seven?');
      await checkPage(page);
      await shots(page, 'conversation-new');
      await message().press('Enter');
      await button('Allow').waitFor();
      expect(await message().isDisabled()).toBe(true);
      await shots(page, 'conversation-confirm');
      script.says({ words: ['It is ', '**42**.'], thinking: 'Easy.' });
      await button('Allow').click();
      await page.getByText('It is 42.').waitFor();
      await page.getByText('Allowed').waitFor();
      expect(await page.getByRole('group', { name: 'Output' }).innerText()).toBe('42');
      await checkPage(page);
      await shots(page, 'conversation-allowed');
    },
    LONG_MS,
  );

  it(
    'informs the model of a denied tool call',
    async () => {
      script.says(runs('open("/etc/passwd").read()', 'call_b001'));
      await message().fill('And who is on this machine?');
      await button('Send').click();
      script.says({ words: ['Then I cannot say.'] });
      await button('Deny').click();
      await page.getByText('Then I cannot say.').waitFor();
      await page.getByText('Denied').waitFor();
      const told = script.upstream.calls.at(-1)?.body.messages;
      expect(told).toMatchObject(
        expect.arrayContaining([
          expect.objectContaining({ role: 'tool', content: 'The user did not allow this call.' }),
        ]),
      );
    },
    LONG_MS,
  );

  it(
    'restarts from any entry as a branch; both conversations link to each other',
    async () => {
      const before = page.url();
      await button('Actions for entry: You').first().click();
      await page.getByRole('menuitem', { name: 'Restart from here' }).click();
      await page.getByLabel('Next message').fill('Guess instead.');
      script.says({ words: ['Forty-two, I guess.'] });
      await button('Restart').click();
      await page.getByText('Forty-two, I guess.').waitFor();
      expect(page.url()).not.toBe(before);
      const branches = page.getByRole('complementary').getByRole('listitem');
      await branches.getByText('Branches after entry 1').waitFor();
      await shots(page, 'conversation-branch');
      await branches.getByRole('link').click();
      await page.getByText('1 branch from here').waitFor();
      expect(page.url()).toBe(before);
    },
    LONG_MS,
  );

  it(
    'stays fast with two thousand entries and long names',
    async () => {
      const inputs = Array.from({ length: 2001 }, (_, at) => ({
        role: at % 2 === 0 ? 'user' : 'assistant',
        content:
          at % 50 === 1
            ? `# Part ${at}\n\n${'A long sentence about the wind. '.repeat(40)}`
            : `Entry ${at} ${'x'.repeat(at % 90)}`,
      }));
      const started = await call(app.server, '/v1/conversations', {
        body: { model: 'small', inputs, name: `Long ${'name '.repeat(60)}` },
      });
      expect(started.status, started.text).toBe(200);
      const { conversation_id } = started.body as { conversation_id: string };
      await page.goto(app.at(`/conversations/${conversation_id}`));
      await page.getByText('Hello there').waitFor();
      expect(await page.getByRole('article').count()).toBeLessThan(60);
      expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(2500);
      await shots(page, 'conversation-long');
      await page.goto(app.at('/conversations'));
      await page.getByRole('link', { name: /^Long name/ }).waitFor();
      await checkPage(page);
      await shots(page, 'conversations-list');
      await page.goto(app.at('/agents'));
      await page.getByText('Harbour master').first().waitFor();
      await checkPage(page);
      await shots(page, 'agents-list');
    },
    LONG_MS,
  );
});
