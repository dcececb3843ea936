import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { loraAdapter } from '../../src/engines/llama/adapter-for-tests.ts';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { inFull } from '../../test/support/in-full.ts';
import { completion, json } from '../../test/support/upstream.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const LONG_MS = 90_000;
const KEY = 'sk-of-the-test';

inFull.given(chromiumPath).describe('models that are added in the console', () => {
  let app: OpenConsole;
  let page: Page;
  let url: string;
  beforeAll(async () => {
    url = await startModelServer();
    const tiny = { id: 'tiny', engine: 'llama', weights: 'smollm2-135m-instruct' };
    // Its weights stay away.
    app = await openConsole({ more: [tiny], environment: { TRAMONTANE_AUTO_PULL: 'off' } });
    page = app.page;
  });
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  it(
    'a model server is connected, tested, served, tried, changed and removed, without the file and without a restart',
    async () => {
      await page.goto(app.at('/models'));
      await button('Add model').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: /vLLM/ }).check();
      expect(await dialog.getByLabel('Address', { exact: true }).inputValue()).toBe('http://127.0.0.1:8000/v1');
      await dialog.getByLabel('Address', { exact: true }).fill(url);
      await dialog.getByRole('button', { name: 'Test connection' }).click();
      await dialog.getByText('The server asks for a key. Enter one.').waitFor();
      await dialog.getByLabel('API key', { exact: true }).fill(KEY);
      await dialog.getByRole('button', { name: 'Test connection' }).click();
      await dialog.getByText('Connected: 2 models.').waitFor();
      await dialog.getByLabel('Model on that server').fill('org/tiny-chat');
      expect(await dialog.getByLabel('Name here').inputValue()).toBe('tiny-chat');
      await dialog.getByText('Aliases, context, prices').click();
      expect(await dialog.getByLabel('Context (tokens)').inputValue()).toBe('8192');
      await dialog.getByLabel('Aliases').fill('fast');
      await dialog.getByLabel(/Price of input/).fill('1.5');
      await dialog.getByLabel(/Price of output/).fill('4');
      await dialog.getByLabel('Requests per minute').fill('600');
      await dialog.getByRole('button', { name: 'Add a fallback' }).click();
      await dialog.getByLabel('Address of fallback 1').fill('http://127.0.0.1:9/v1');
      await checkPage(page);
      await shots(page, 'model-dialog');
      await dialog.getByRole('button', { name: 'Add model' }).click();
      await page.getByText('tiny-chat is served.').waitFor();
      const answer = await call(app.server, '/v1/chat/completions', {
        body: { model: 'fast', messages: [{ role: 'user', content: 'Hi' }] },
      });
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('from the key')]);
      await checkPage(page);
      await shots(page, 'models');

      await page.getByRole('link', { name: 'tiny-chat', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'tiny-chat' }).waitFor();
      await page.getByText('8,192 tokens').waitFor();
      await page.getByText('1.5 / 4').first().waitFor();
      await page.getByText('600 requests per minute').waitFor();
      await page.getByText(`${url}, with a key`).waitFor();
      const requests = page.locator('dl > div', { hasText: 'Requests' });
      await expect.poll(() => requests.innerText(), { timeout: 25_000 }).toContain('\n1');
      await checkPage(page);
      await shots(page, 'model');

      await button('Change').click();
      await dialog.getByLabel('Description').fill('For quick questions.');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('For quick questions.').first().waitFor();
      await page.getByText(`${url}, with a key`).waitFor();

      await button('Try').click();
      await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
      const chosen = "[...document.querySelectorAll('select')].map((one) => one.value).join()";
      await expect.poll(() => page.evaluate<string>(chosen), { timeout: 20_000 }).toContain('tiny-chat');

      await page.goto(app.at('/models/tiny-chat'));
      await button('Remove').click();
      await dialog.getByRole('button', { name: 'Remove model' }).click();
      await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
      await expect.poll(() => page.getByRole('link', { name: 'tiny-chat', exact: true }).count()).toBe(0);
    },
    LONG_MS,
  );

  it(
    'a LoRA adapter is uploaded, listed on the card of its model, changed and removed; another file is refused beside its field',
    async () => {
      await page.goto(app.at('/models/tiny'));
      await button('Add adapter').click();
      const dialog = page.getByRole('dialog');
      const choose = (name: string, buffer: Buffer) =>
        dialog
          .getByLabel('Adapter', { exact: true })
          .setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
      await choose('support.gguf', Buffer.from('no adapter'));
      expect(await dialog.getByLabel('Name here').inputValue()).toBe('support');
      await dialog.getByRole('button', { name: 'Add adapter' }).click();
      await dialog.getByText('This is not a GGUF file.').waitFor();
      await checkPage(page);
      await shots(page, 'adapter-dialog');
      await choose('support.gguf', loraAdapter());
      await dialog.getByRole('button', { name: 'Add adapter' }).click();
      await page.getByText('support is served.').waitFor();
      await page.getByRole('link', { name: 'support', exact: true }).waitFor();
      await checkPage(page);
      await shots(page, 'model-adapters');
      await page.getByRole('link', { name: 'support', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'support' }).waitFor();
      await button('Change').click();
      await dialog.getByLabel('Aliases').fill('helper');
      await dialog.getByLabel('Tokens per minute').fill('5000');
      await checkPage(page);
      await shots(page, 'weights-dialog');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('5,000 tokens per minute').waitFor();
      await page.getByText('helper').waitFor();
      await page.goto(app.at('/models/tiny'));
      await button('Remove support').click();
      await dialog.getByRole('button', { name: 'Remove adapter' }).click();
      await expect.poll(() => page.getByRole('link', { name: 'support', exact: true }).count()).toBe(0);
      const rows = await app.server.platform.database.db.selectFrom('model_adapters').selectAll().execute();
      expect(rows).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'a refused address is explained in the dialog, and a broken row on the page',
    async () => {
      await page.goto(app.at('/models'));
      await button('Add model').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: /Other server/ }).check();
      await dialog.getByLabel('Address', { exact: true }).fill(url);
      await dialog.getByLabel('Name here').fill('mine');
      await dialog.getByRole('button', { name: 'Add model' }).click();
      await dialog
        .locator('[class*=_field_]')
        .filter({ has: page.getByLabel('Address', { exact: true }) })
        .getByText(/public address/)
        .waitFor();
      await page.keyboard.press('Escape');
      await dialog.getByRole('button', { name: 'Discard' }).click();
      const at = new Date().toISOString();
      const row = { id: 'broken', settings: '{', sealed_keys: null, created_at: at, updated_at: at };
      await app.server.platform.database.db.insertInto('stored_models').values(row).execute();
      await page.reload();
      await page.getByText('Its settings cannot be read').waitFor();
      await checkPage(page);
    },
    LONG_MS,
  );
});

/** Speaks the OpenAI API to those who have the key. */
async function startModelServer(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${KEY}`) return json(response, 401, {});
    request.resume();
    if (request.url !== '/v1/models') return json(response, 200, completion('from the key'));
    return json(response, 200, { data: [{ id: 'org/tiny-chat', max_model_len: 8192 }, { id: 'other' }] });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
