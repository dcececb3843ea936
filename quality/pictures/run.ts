import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../../console/test/support/chromium.ts';
import type { Platform } from '../../src/compose/open-platform.ts';
import { loadConfig } from '../../src/config/config.ts';
import { FileConfig } from '../../src/config/schema.ts';
import { createLog } from '../../src/kit/base/log.ts';
import { startServer } from '../../src/main.ts';
import { drawArchitecture } from './draw-architecture.ts';
import { savePicture } from './save-picture.ts';
import { QUESTION, startScriptedModel } from './scripted-model.ts';
import { type Access, seedExecution, seedPrompts, seedUsage } from './seed.ts';

// `npm run pictures`: starts a server with the data of a small shop and takes the pictures of the README from its
// console, in both themes. They change a little with each run: times and speeds are real.
const FOLDER = join(import.meta.dirname, '../../docs/pictures');
const SIZE = { width: 1280, height: 720 };
const PASSWORD = 'a password for pictures';

if (!chromiumPath) throw new Error('Pictures need Chromium: set TRAMONTANE_TEST_CHROMIUM to it.');
await mkdir(FOLDER, { recursive: true });
await drawArchitecture(FOLDER);
const dataDir = await mkdtemp(join(tmpdir(), 'tramontane-pictures-'));
const model = await startScriptedModel();
let platform: Platform | undefined;
const config = {
  ...loadConfig({ TRAMONTANE_PORT: '0', TRAMONTANE_DATA_DIR: dataDir, TRAMONTANE_AUTO_PULL: 'off' }),
  file: FileConfig.parse({
    models: ['qwen3-32b', 'devstral-24b'].map((id) => ({
      id,
      engine: 'upstream',
      url: model.url,
      capabilities: { completion_chat: true, function_calling: true },
      price: { prompt: 0.4, completion: 1.2 },
    })),
  }),
};
const server = await startServer(config, {
  log: createLog('error'),
  console: {},
  extraRoutes: (opened) => {
    platform = opened;
    return [];
  },
});
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
try {
  if (!server.bootstrap.created || !platform) throw new Error('A fresh data dir has a first start.');
  const access: Access = { url: server.url, key: server.bootstrap.apiKey };
  await seedPrompts(access);
  await seedUsage(platform, Date.now());
  const { worker, execution } = await seedExecution(access);
  const page = await signIn(new URL(server.bootstrap.link.path, server.url).href);
  const at = (path: string) => `${server.url}/console${path}`;

  await page.goto(at(`/playground?target=${encodeURIComponent(JSON.stringify({ kind: 'model', id: 'qwen3-32b' }))}`));
  await page.getByRole('textbox', { name: 'Message' }).fill(QUESTION);
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  await page.getByText(/tokens in, /).waitFor();
  await take(page, 'playground');

  await page.goto(at(`/workflows/executions/${execution}`));
  await page.getByRole('list', { name: 'Timeline' }).waitFor();
  await take(page, 'workflow');

  await page.goto(at('/prompts/support-reply'));
  await page.getByRole('tab', { name: 'History' }).click();
  await page.locator('ins').first().waitFor();
  await take(page, 'prompts');

  await page.goto(at('/organization/usage'));
  await page
    .getByRole('img', { name: /Tokens per day/ })
    .locator('canvas')
    .waitFor();
  await take(page, 'usage');
  await worker.stop(0);
} finally {
  await browser.close();
  await server.stop();
  model.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** The console is built after the start; the link is tried until it is there. */
async function signIn(link: string): Promise<Page> {
  const context = await browser.newContext({ viewport: SIZE, deviceScaleFactor: 1.5, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByLabel('Password').fill(PASSWORD, { timeout: 120_000 });
  await page.getByRole('button', { name: 'Save and sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  return page;
}

async function take(page: Page, name: string): Promise<void> {
  await page.evaluate('document.activeElement?.blur()');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(300);
    const file = join(FOLDER, `${name}-${colorScheme}.webp`);
    await savePicture(await page.screenshot(), file, colorScheme);
    console.log(`${name}-${colorScheme}.webp ${((await stat(file)).size / 1000).toFixed(0)} kB`);
  }
}
