import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';

type Variant = readonly [name: string, width: number, height: number, colorScheme: 'light' | 'dark'];

export const VARIANTS: readonly Variant[] = [
  ['wide-light', 1440, 900, 'light'],
  ['wide-dark', 1440, 900, 'dark'],
  ['phone-light', 390, 844, 'light'],
  ['phone-dark', 390, 844, 'dark'],
];

/** Ids of requests are new each time; those of objects lose nothing by being alike. */
const HIDE_IDS = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  while (texts.nextNode()) {
    const { data } = texts.currentNode;
    if (data.match(uuid)) texts.currentNode.data = data.replace(uuid, '00000000-0000-7000-8000-000000000000');
  }
})()`;

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Pages of this context come from the folder of a build instead of the server; the API stays the server's. */
export async function serveBuild(context: BrowserContext, build: string): Promise<void> {
  await context.route(/\/console\/(?!api\/)/, async (route) => {
    const path = new URL(route.request().url()).pathname.replace(/^\/console\//, '');
    const file = join(build, extname(path) && existsSync(join(build, path)) ? path : 'index.html');
    const contentType = TYPES[extname(file)] ?? 'application/octet-stream';
    await route.fulfill({ body: await readFile(file), contentType });
  });
}

/** Waits until nothing more is loaded; pages that follow a stream never become idle. */
export async function settle(page: Page): Promise<void> {
  await page.locator('main, h1').first().waitFor();
  await page.waitForLoadState('networkidle', { timeout: 2500 }).catch(() => undefined);
  await page
    .getByText(/^Loading/)
    .first()
    .waitFor({ state: 'detached', timeout: 5000 })
    .catch(() => undefined);
  await page.evaluate('document.fonts.ready');
}

/** The whole page in each theme and width. */
export async function takeVariants(page: Page, variants: readonly Variant[]): Promise<Map<string, Buffer>> {
  const taken = new Map<string, Buffer>();
  for (const [name, width, height, colorScheme] of variants) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    // Charts are drawn again after a change of size or theme.
    await page.waitForTimeout(150);
    await page.evaluate(HIDE_IDS);
    taken.set(name, await page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' }));
  }
  return taken;
}
