import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../src/engines/weights/catalogue.ts';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { inFull } from '../../test/support/in-full.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const PIECES = 4;
/** Longer than the server's interval between progress reports. */
const PIECE_MS = 500;

/** A Hugging Face mirror that slowly sends a quarter of a file and then stalls. */
async function serveAQuarter(): Promise<string> {
  const bytes = catalogue[0]?.files[0]?.bytes ?? 0;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': bytes });
    let sent = 0;
    const timer = setInterval(
      () => (sent++ < PIECES ? response.write(Buffer.alloc(bytes / 4 / PIECES)) : undefined),
      PIECE_MS,
    );
    response.on('close', () => clearInterval(timer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

inFull.given(chromiumPath).describe('Home, Models and Speech', () => {
  let opened: OpenConsole;
  let page: Page;
  beforeAll(async () => {
    opened = await openConsole({
      environment: { HF_ENDPOINT: await serveAQuarter() },
      file: {
        models: [
          { id: model, engine: 'upstream', url: 'http://127.0.0.1:1/v1', aliases: ['scripted-latest'] },
          { id: 'speaker', engine: 'espeak' },
        ],
      },
    });
    page = opened.page;
  });

  test('a failed request is on Home with its request ID', async () => {
    await page.goto(opened.at('/'));
    await page.getByText('No errors since the server started').waitFor();
    await shots(page, 'home-empty');
    const answer = await call(opened.server, '/v1/chat/completions', { body: { model: 'nobody', messages: [] } });
    const id = answer.headers.get('x-request-id') ?? '';
    expect(answer.status).toBeGreaterThanOrEqual(400);
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: '/v1/chat/completions' });
    await row.getByRole('button', { name: `Copy request ID ${id}` }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id);
    await checkPage(page);
    await shots(page, 'home');
  });

  test('a model server that is down, and what failed because of it, need attention on Home and Models', async () => {
    const answer = await call(opened.server, '/v1/chat/completions', {
      body: { model, messages: [{ role: 'user', content: 'Hello' }] },
    });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    await page.goto(opened.at('/'));
    await page.getByText('Needs attention').waitFor();
    await page.getByText(/^One request failed in the last 10 minutes\./).waitFor();
    await page.getByText('The model server cannot be reached. Start it').waitFor();
    await checkPage(page);
    await page.goto(opened.at('/models'));
    const served = page.getByRole('row').filter({ hasText: model });
    await served.getByText('Failed', { exact: true }).waitFor();
    await served.getByText('The model server cannot be reached. Start it').waitFor();
  });

  test('a completed first step stays completed', async () => {
    await page.goto(opened.at('/'));
    const step = page.getByRole('checkbox', { name: 'Done: Try it in the playground' });
    await step.check();
    await page.reload();
    await expect.poll(() => step.isChecked()).toBe(true);
  });

  test('Models shows engine, state and capabilities of served models, and those to download', async () => {
    await page.goto(opened.at('/models'));
    const served = page.getByRole('row').filter({ hasText: model });
    await served.getByText('also scripted-latest').waitFor();
    await served.getByText('upstream').waitFor();
    await page.getByRole('heading', { name: 'Available for download' }).waitFor();
    expect(await page.getByRole('button', { name: /^Download / }).count()).toBeGreaterThan(0);
    await checkPage(page);
    await shots(page, 'models');
  });

  test('a download shows its progress, also after a reload', async () => {
    await page.goto(opened.at('/models'));
    const [entry] = catalogue;
    await page.getByRole('button', { name: `Download ${entry?.id}` }).click();
    const bar = page.getByRole('progressbar', { name: 'Downloading' });
    const percent = async () => Number(await bar.getAttribute('aria-valuenow'));
    await expect.poll(percent).toBeGreaterThan(10);
    expect(await percent()).toBeLessThanOrEqual(25);
    await checkPage(page);
    await shots(page, 'models-fetching');
    await page.reload();
    await expect.poll(percent).toBeGreaterThan(10);
  });

  test('text is converted to speech, played and downloaded', async () => {
    await page.goto(opened.at('/speech'));
    await page.getByLabel('Text').fill('Good morning.');
    await page.getByLabel('Format').selectOption('wav');
    await page.getByLabel('Name or language').fill('french (f');
    await page
      .getByRole('radio', { name: /French/ })
      .first()
      .check();
    await page.getByLabel('Text').press('Control+Enter');
    const sound = page.getByLabel('Good morning.');
    await sound.waitFor();
    await expect
      .poll(() => sound.evaluate((audio) => (audio as unknown as { duration: number }).duration))
      .toBeGreaterThan(0.3);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('speech.wav');
    await checkPage(page);
    await shots(page, 'speech');
  });
});
