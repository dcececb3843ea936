import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { buildConsole } from '../../console/test/support/build-console.ts';
import { chromiumPath } from '../../console/test/support/chromium.ts';
import { comparePictures } from './compare-pictures.ts';
import { openShop } from './open-shop.ts';
import { addressOf, listShots, type Shot } from './pages.ts';
import { signInToShop } from './sign-in.ts';
import { serveBuild, settle, takeVariants, VARIANTS } from './take-shot.ts';

/**
 * `npm run console:shots -- [folder] [--against build] [--only pattern] [--quick]`: every page of the console in both
 * themes and widths as PNG files. With the folder of another build, the pages of both over the same data and what differs.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { against: { type: 'string' }, only: { type: 'string', default: '' }, quick: { type: 'boolean' } },
});
const folder = resolve(positionals[0] ?? 'shots');
/** Each theme and each width once, where the time matters. */
const variants = values.quick ? VARIANTS.filter(([name]) => /^(wide-light|phone-dark)$/.test(name)) : VARIANTS;
/** Later than all data, and the same for both builds. */
const now = Date.now() + 10 * 60_000;

if (!chromiumPath) throw new Error('Pictures need Chromium: set TRAMONTANE_TEST_CHROMIUM to it.');
await mkdir(folder, { recursive: true });
const build = await buildConsole();
const shop = await openShop();
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
const pages = new Map<string, Page>();
let session: Awaited<ReturnType<typeof signIn>>;
const failed = new Set<string>();
let differing = 0;
try {
  session = await signIn(browser);
  const builds = [build, ...(values.against ? [resolve(values.against)] : [])];
  const shots = listShots().filter(({ name }) => new RegExp(values.only).test(name));
  for (const shot of shots) {
    const [ours, theirs] = await Promise.all(builds.map((from) => take(shot, from)));
    for (const [variant, picture] of ours ?? []) {
      await writeFile(join(folder, `${shot.name}-${variant}.png`), picture);
      const before = theirs?.get(variant);
      if (before) differing += await report(`${shot.name}-${variant}`, before, picture);
    }
    console.log(shot.name);
  }
  console.log(
    `${shots.length * variants.length} pictures in ${folder}${values.against ? `, ${differing} differ` : ''}`,
  );
} finally {
  await browser.close();
  await shop.stop();
}
process.exitCode = differing + failed.size > 0 ? 1 : 0;

/** A page per build and session, used again and again. */
async function pageOf(from: string, isSignedOut: boolean): Promise<Page> {
  const key = `${from} ${isSignedOut}`;
  const known = pages.get(key);
  if (known) return known;
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    ...(isSignedOut ? {} : { storageState: session }),
  });
  await serveBuild(context, from);
  const page = await context.newPage();
  await page.clock.setFixedTime(now);
  pages.set(key, page);
  return page;
}

async function take(shot: Shot, from: string): Promise<Map<string, Buffer>> {
  const page = await pageOf(from, shot.signedOut ?? false);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${shop.url}/console${addressOf(shot, shop.ids)}`);
  await settle(page);
  await actOn(page, shot);
  return takeVariants(page, variants);
}

/** A state that cannot be reached is told and fails the run; the other pages are taken all the same. */
async function actOn(page: Page, { name, act }: Shot): Promise<void> {
  if (!act) return;
  page.setDefaultTimeout(20_000);
  await act(page).catch((error) => {
    failed.add(name);
    console.log(`  ${name}: ${error instanceof Error ? error.message.split('\n', 1)[0] : error}`);
  });
  await settle(page);
}

async function report(name: string, before: Buffer, after: Buffer): Promise<number> {
  const { differing, total, picture } = await comparePictures(before, after);
  if (!picture) return 0;
  await writeFile(join(folder, `${name}.before.png`), before);
  await writeFile(join(folder, `${name}.differs.png`), picture);
  console.log(`  ${name}: ${differing} of ${total} pixels differ`);
  return 1;
}

async function signIn(of: Browser) {
  const context = await of.newContext();
  await serveBuild(context, build);
  await signInToShop(context, shop);
  const state = await context.storageState();
  await context.close();
  return state;
}
