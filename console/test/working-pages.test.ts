import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { inFull } from '../../test/support/in-full.ts';
import { json } from '../../test/support/upstream.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const LONG_MS = 90_000;

inFull.given(chromiumPath).describe('files, batch, OCR, moderation and MCP', () => {
  let app: OpenConsole;
  let page: Page;
  beforeAll(async () => {
    app = await openConsole();
    page = app.page;
  });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const give = (label: string, name: string, text: string, mimeType = 'text/plain') =>
    page
      .locator(`input[type=file][aria-label="${label}"]`)
      .setInputFiles({ name, mimeType, buffer: Buffer.from(text) });

  it(
    'a file is uploaded, found, downloaded and deleted',
    async () => {
      await page.goto(app.at('/files'));
      await page.getByText('No files yet').waitFor();
      await give('Upload files', 'notes.txt', 'hello');
      await page.getByRole('cell', { name: 'notes.txt', exact: true }).waitFor();
      await checkPage(page);
      await shots(page, 'files');
      await page.getByLabel('Search by name').fill('nothing');
      await page.getByText('No matching file').waitFor();
      await page.getByLabel('Search by name').fill('note');
      await page.getByRole('button', { name: 'Actions for notes.txt' }).click();
      const downloading = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'Download' }).click();
      const path = await (await downloading).path();
      expect(readFileSync(path, 'utf8')).toBe('hello');
      await page.getByRole('button', { name: 'Actions for notes.txt' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog().getByRole('button', { name: 'Delete file' }).click();
      await page.getByText('No matching file').waitFor();
    },
    LONG_MS,
  );

  it(
    'a JSONL file becomes a batch that is watched and downloaded; a broken line is named before it is sent',
    async () => {
      await page.goto(app.at('/batch'));
      await page.getByText('No batch yet').waitFor();
      await button('New batch').first().click();
      await give('Requests', 'broken.jsonl', '{"body":{}}\n{oops');
      await dialog().getByText('Line 2 is not JSON.').waitFor();
      const line = (id: number) =>
        JSON.stringify({ custom_id: `${id}`, body: { messages: [{ role: 'user', content: 'Hi' }] } });
      await give('Requests', 'two.jsonl', `${line(1)}\n${line(2)}\n`);
      await dialog().getByText('2 requests.').waitFor();
      await dialog().getByLabel('Model').selectOption(model);
      await checkPage(page);
      await shots(page, 'batch-dialog');
      await dialog().getByRole('button', { name: 'Start batch' }).click();
      await page.getByRole('heading', { level: 1, name: 'two.jsonl' }).waitFor();
      await page.getByText('2 of 2 requests').waitFor();
      const downloading = page.waitForEvent('download');
      await button('Download results').click();
      expect(
        readFileSync(await (await downloading).path(), 'utf8')
          .trim()
          .split('\n'),
      ).toHaveLength(2);
      await checkPage(page);
      await shots(page, 'batch-job');
      await page.getByRole('link', { name: 'Batch', exact: true }).last().click();
      await page.getByRole('link', { name: 'two.jsonl' }).waitFor();
      await checkPage(page);
      await shots(page, 'batch');
    },
    LONG_MS,
  );

  it(
    'clients of the MCP server are listed, with what to paste where',
    async () => {
      await page.goto(app.at('/mcp'));
      await page.getByText('Nobody has connected yet').waitFor();
      await page.getByText('"mcpServers"').waitFor();
      await page.getByText('VS Code', { exact: true }).click();
      await page.getByText('.vscode/mcp.json').waitFor();
      await call(app.server, '/mcp', {
        headers: { 'user-agent': 'a-client/1.0', accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      });
      await page.getByRole('cell', { name: 'a-client/1.0' }).waitFor();
      await checkPage(page);
      await shots(page, 'mcp');
    },
    LONG_MS,
  );
});

inFull.given(chromiumPath).describe('OCR and moderation by a model server', () => {
  let app: OpenConsole;
  let page: Page;
  beforeAll(async () => {
    app = await openConsole();
    page = app.page;
    const url = app.upstream.url;
    app.upstream.answerWith((request, response) => {
      if (request.path.endsWith('/ocr')) return json(response, 200, readPage);
      const scores = { sexual: 0.05, violence_and_threats: 0.82, law: 0.9 };
      const flags = { sexual: false, violence_and_threats: true, law: true };
      return json(response, 200, {
        ...{ id: 'm', model: 'guard' },
        results: [{ categories: flags, category_scores: scores }],
      });
    });
    for (const kind of ['ocr', 'moderation'])
      await page.request.post(`${app.server.url}/v1/admin/models`, {
        headers: { 'x-api-key': await adminKey(app) },
        data: { id: `the-${kind}`, engine: 'upstream', kind, url, private_network: true },
      });
  });

  it(
    'a picture stands beside its Markdown, and a box shows the text that was read there',
    async () => {
      await page.goto(app.at('/ocr'));
      await page
        .locator('input[type=file][aria-label="Document"]')
        .setInputFiles({ name: 'page.png', mimeType: 'image/png', buffer: PIXEL });
      await page.getByRole('heading', { name: 'A title' }).waitFor();
      await checkPage(page);
      await shots(page, 'ocr');
      await page.getByRole('button', { name: /^text: Some words/ }).click();
      await page.getByText('Block', { exact: true }).waitFor();
      await expect.poll(() => page.locator('[class*=_prose_]').innerText()).toBe('Some words');
      expect((await call(app.server, '/v1/files')).text).not.toContain('page.png');
    },
    LONG_MS,
  );

  it(
    'a text is checked against thresholds, which become the guardrail of an agent',
    async () => {
      const agent = await call(app.server, '/v1/agents', { body: { name: 'Careful', model } });
      expect(agent.status, agent.text).toBe(200);
      await page.goto(app.at('/moderation'));
      await page.getByLabel('Text', { exact: true }).fill('A threat');
      await page.getByRole('button', { name: 'Check text' }).click();
      await page.getByText('Blocked: Violence and threats.').waitFor();
      await page.getByLabel('Threshold of Violence and threats').fill('0.9');
      await page.getByText('It passes: no score is above its threshold.').waitFor();
      await checkPage(page);
      await shots(page, 'moderation');
      await page.getByLabel('Agent').selectOption({ label: 'Careful' });
      await page.getByRole('button', { name: 'Save to the agent' }).click();
      await page.getByText('Careful has them in version').waitFor();
      const { id } = agent.body as { id: string };
      expect((await call(app.server, `/v1/agents/${id}`)).text).toContain('"violence_and_threats":0.9');
    },
    LONG_MS,
  );
});

const readPage = {
  model: 'reader',
  pages: [
    {
      ...{
        index: 0,
        markdown: '# A title\n\nSome words',
        images: [],
        dimensions: { dpi: 72, width: 200, height: 100 },
      },
      blocks: [
        {
          type: 'title',
          top_left_x: 10,
          top_left_y: 10,
          bottom_right_x: 190,
          bottom_right_y: 40,
          content: '# A title',
        },
        {
          type: 'text',
          top_left_x: 10,
          top_left_y: 50,
          bottom_right_x: 190,
          bottom_right_y: 90,
          content: 'Some words',
        },
      ],
    },
  ],
  usage_info: { pages_processed: 1, doc_size_bytes: 68 },
};

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

async function adminKey({ server }: OpenConsole): Promise<string> {
  const [organization] = await server.platform.tenants.listOrganizations();
  const key = await server.platform.tenants.keys.create({ kind: 'admin', organization: organization?.id ?? '' });
  return key.value;
}
