import { chromium, type Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { openShop, type Shop } from '../../quality/shots/open-shop.ts';
import { addressOf, listShots } from '../../quality/shots/pages.ts';
import { signInToShop } from '../../quality/shots/sign-in.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { inFull } from '../../test/support/in-full.ts';
import { buildConsole } from './support/build-console.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { describeInBrowser, type OpenConsole, openConsole } from './support/open-console.ts';

/** The routes of the router as they open (quality/shots/pages.test.ts compares them with it); dialogs and tabs are checked by the tests of their areas. */
const opened = listShots().filter(({ act }) => act === undefined);
/** The first page of each area. */
const first = opened.filter(({ route, signedOut }) => /^\/[^/$]*$/.test(route) && !signedOut);

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.getByText(/^Loading/).count(), { timeout: 25_000 }).toBe(0);
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
}

describeInBrowser('each area of a new server', () => {
  let console: OpenConsole;
  beforeAll(async () => {
    console = await openConsole();
  });

  it.each(first)('$route opens without an error, has no fault that axe finds, and fits a phone', async (shot) => {
    await open(console.page, console.at(addressOf(shot, {})));
    await checkPage(console.page);
  });
});

inFull.given(chromiumPath).describe('every page of the router, with objects to show', () => {
  let shop: Shop;
  let page: Page;
  let signedOut: Page;
  beforeAll(async () => {
    await buildConsole();
    shop = await openShop();
    atEnd(() => shop.stop());
    const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
    atEnd(() => browser.close());
    const options = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;
    const [context, other] = [await browser.newContext(options), await browser.newContext(options)];
    await signInToShop(context, shop);
    page = await context.newPage();
    signedOut = await other.newPage();
  }, 120_000);

  it.each(opened)('$name has no fault that axe finds, in either theme, and fits a phone', async (shot) => {
    const shown = shot.signedOut ? signedOut : page;
    await open(shown, `${shop.url}/console${addressOf(shot, shop.ids)}`);
    await checkPage(shown);
  });
});
