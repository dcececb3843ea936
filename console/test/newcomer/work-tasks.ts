import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { completion, json, type ScriptedUpstream } from '../../../test/support/upstream.ts';
import { chatModel, fileOf, type Newcomer, SLOW_MS } from './newcomer.ts';

export async function askDocument({ page, upstream, go, button, dialog }: Newcomer): Promise<void> {
  await go('Libraries');
  await button('New library').first().click();
  await dialog().getByLabel('Name').fill('Winds');
  await dialog().getByRole('button', { name: 'Create library' }).click();
  await page.getByRole('heading', { level: 1, name: 'Winds' }).waitFor();
  const document = '# Winds\n\nThe sirocco comes from the desert and brings dust.\n';
  await page.getByLabel('Files').setInputFiles(fileOf('winds.md', 'text/markdown', document));
  await page.getByRole('row').filter({ hasText: 'winds.md' }).getByText('Ready').waitFor({ timeout: SLOW_MS });
  upstream.answerWith(callsTool('document_library', { query: 'sirocco' }, 'It comes from the desert.'));
  await page.getByRole('link', { name: 'Ask', exact: true }).click();
  await page.getByLabel('Model').selectOption('company-chat');
  await page.getByLabel('Question').fill('Where does the sirocco come from?');
  await button('Ask').click();
  await page.getByRole('log', { name: 'Answers' }).getByText('from the desert').waitFor({ timeout: SLOW_MS });
  await page.getByRole('list', { name: 'Sources' }).getByRole('link').first().click();
  await page.getByText('brings dust').first().waitFor();
}

export async function promotePrompt({ page, go, button, dialog }: Newcomer): Promise<void> {
  await go('Prompts');
  await button('New prompt').first().click();
  await dialog().getByLabel('Name').fill('greeting');
  await dialog().getByLabel('Text').fill('Greet {{customer}} in one sentence.');
  await dialog().getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'greeting' }).waitFor();
  await page.getByRole('tab', { name: 'Aliases' }).click();
  await page.getByLabel('New alias').fill('production');
  await button('Add alias').click();
  await page.getByText('production now points to version 1.').waitFor();
  await page.getByRole('tab', { name: 'Text' }).click();
  await button('Edit').click();
  await page.getByLabel('New version').fill('Greet {{customer}} warmly in one sentence.');
  await button('Save as new version').click();
  await page.getByText('Saved as version 2.').waitFor();
  await page.getByRole('tab', { name: 'Aliases' }).click();
  await page.getByLabel('Version of production').selectOption('2');
  await dialog().getByRole('button', { name: 'Move' }).click();
  await page.getByText('production now points to version 2.').waitFor();
}

export async function approveTool({ page, wiki, upstream, go, button, dialog }: Newcomer): Promise<void> {
  await go('Connectors');
  await button('Add connector').first().click();
  await dialog().getByLabel('Name').fill('wiki');
  await dialog().getByLabel('Address').fill(wiki.url);
  await dialog().getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'wiki' }).waitFor();
  await page.getByLabel('Rule for search_pages').selectOption('ask');
  await page.getByText('search_pages: Ask first').waitFor();
  upstream.answerWith(callsTool('search_pages', {}, 'The wiki says so.'));
  await go('Agents');
  await page.getByRole('main').getByRole('link', { name: 'New agent' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Librarian');
  await page.getByLabel('Model', { exact: true }).selectOption('company-chat');
  await button('Add connector').click();
  await page.getByLabel('Connector', { exact: true }).selectOption({ label: 'wiki' });
  await button('Create agent').click();
  await page.getByRole('heading', { level: 1, name: 'Librarian' }).waitFor();
  await page.getByRole('link', { name: /Chat/ }).first().click();
  await page.getByRole('textbox', { name: 'Message' }).fill('What does the wiki say?');
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  await button('Allow').waitFor();
  // Somewhere else meanwhile: the badge tells that something waits.
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /Approvals/ })
    .click();
  await page.getByRole('link', { name: 'Allow or deny' }).click();
  await button('Allow').click();
  await page.getByText('The wiki says so.').waitFor();
}

export async function findFailedRun({ page, go, button }: Newcomer): Promise<void> {
  await go('Workflows');
  await button('Run stock').click();
  await button('Run').click();
  await page.getByText('Failed', { exact: true }).first().waitFor();
  await go('Workflows');
  await page.getByRole('link', { name: 'Executions', exact: true }).click();
  await page.getByLabel('Status').selectOption({ label: 'Failed' });
  const failed = page.getByRole('row').filter({ hasText: 'stock' }).filter({ hasText: 'Failed' });
  await failed.getByRole('link', { name: /^[0-9a-f-]{36}$/ }).click();
  await page.getByText('There is no stock left in the warehouse of Marseille.').first().waitFor();
}

export async function uploadBatch({ page, go, button, dialog }: Newcomer): Promise<void> {
  const line = (id: number) =>
    JSON.stringify({ custom_id: `${id}`, body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4 } });
  await go('Batch');
  await button('New batch').first().click();
  await dialog()
    .getByLabel('Requests')
    .last()
    .setInputFiles(fileOf('two.jsonl', 'application/jsonl', `${line(1)}\n${line(2)}\n`));
  await dialog().getByText('2 requests.').waitFor();
  await dialog().getByLabel('Model').selectOption(chatModel);
  await dialog().getByRole('button', { name: 'Start batch' }).click();
  await page.getByText('2 of 2 requests').waitFor({ timeout: SLOW_MS });
  const downloading = page.waitForEvent('download');
  await button('Download results').click();
  const lines = readFileSync(await (await downloading).path(), 'utf8')
    .trim()
    .split('\n');
  expect(lines).toHaveLength(2);
}

export async function connectMcp({ page, go, button, dialog, copied }: Newcomer): Promise<void> {
  await go('MCP');
  await page.getByRole('button', { name: /^Copy/ }).first().click();
  const address = /https?:\/\/[^"\s]+\/mcp/.exec(await copied())?.[0] ?? '';
  await page.getByRole('link', { name: 'Create a key' }).click();
  await button('New API key').click();
  await dialog().getByRole('button', { name: 'Create' }).click();
  await dialog().getByRole('button', { name: 'Copy key' }).click();
  const key = await copied();
  await button('I have copied it').click();
  // What the editor does with the address and the key.
  const answer = await fetch(address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'user-agent': 'an-editor/1.0',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  expect(answer.status).toBe(200);
  await go('MCP');
  await page.getByRole('cell', { name: 'an-editor/1.0' }).waitFor();
}

/** A model that calls one tool, and says something once it has the result. */
function callsTool(name: string, input: object, words: string): Parameters<ScriptedUpstream['answerWith']>[0] {
  return ({ body }, response) => {
    const wasRun = (body.messages as { role: string }[]).at(-1)?.role === 'tool';
    const call = { id: 'abcdefghi', type: 'function', function: { name, arguments: JSON.stringify(input) } };
    const message = wasRun
      ? { role: 'assistant', content: words }
      : { role: 'assistant', content: '', tool_calls: [call] };
    const choices = [{ index: 0, message, finish_reason: wasRun ? 'stop' : 'tool_calls' }];
    json(response, 200, { ...(completion('') as object), choices });
  };
}
