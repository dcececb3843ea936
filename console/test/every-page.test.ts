import { chromium, type Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { openShop, type Shop } from '../../quality/shots/open-shop.ts';
import { addressOf, listShots } from '../../quality/shots/pages.ts';
import { signInToShop } from '../../quality/shots/sign-in.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { isFull } from '../../test/support/rounds.ts';
import { buildConsole } from './support/build-console.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { describeInBrowser } from './support/open-console.ts';

/** The routes of the router as they open (quality/shots/pages.test.ts compares them with it); dialogs and tabs are checked by the tests of their areas. */
const opened = listShots().filter(({ act }) => act === undefined);

describeInBrowser('every page of the router', () => {
  let shop: Shop;
  let page: Page;
  let signedOut: Page;
  // Minutes long: in every run the tests of each area check the pages that they open.
  beforeAll(async () => {
    if (!isFull) return;
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

  it.runIf(isFull).each(opened)(
    '$name has no fault that axe finds, in either theme, and fits a phone',
    async (shot) => {
      const shown = shot.signedOut ? signedOut : page;
      await shown.goto(`${shop.url}/console${addressOf(shot, shop.ids)}`);
      await shown.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => shown.getByText(/^Loading/).count(), { timeout: 25_000 }).toBe(0);
      expect(await shown.getByRole('heading', { level: 1 }).count()).toBe(1);
      await checkPage(shown);
    },
  );
});
