import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { atEnd } from '../../../test/support/cleanup.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { chromiumPath } from './chromium.ts';

const CONSOLE_DIR = join(import.meta.dirname, '../..');
const ORIGIN = 'http://gallery.test';
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** The gallery in a browser, without a server behind it. `show` opens one of its specimens alone. */
export async function openGallery(): Promise<{ page: Page; show: (name: string) => Promise<void> }> {
  const dist = temporaryDir();
  await build({
    root: CONSOLE_DIR,
    base: '/',
    configFile: join(CONSOLE_DIR, 'vite.config.ts'),
    configLoader: 'native',
    logLevel: 'error',
    build: { outDir: dist, rolldownOptions: { input: join(CONSOLE_DIR, 'gallery/index.html') } },
  });
  const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
  atEnd(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const body = await readFile(join(dist, pathname === '/' ? 'gallery/index.html' : pathname)).catch(() => undefined);
    if (body === undefined) return route.fulfill({ status: 404 });
    return route.fulfill({ body, contentType: TYPES[extname(pathname)] ?? 'text/html' });
  });
  const show = async (name: string) => {
    await page.goto('about:blank');
    await page.goto(`${ORIGIN}/#${name}`);
    await page.getByRole('region', { name }).waitFor();
  };
  return { page, show };
}
