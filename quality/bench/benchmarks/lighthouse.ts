import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BrowserContext, chromium } from 'playwright-core';
import { buildConsole } from '../../../console/test/support/build-console.ts';
import { chromiumPath } from '../../../console/test/support/chromium.ts';
import { openShop, type Shop } from '../../shots/open-shop.ts';
import { addressOf, readRoutes } from '../../shots/pages.ts';
import { signInToShop } from '../../shots/sign-in.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir } from '../children.ts';

const SCORE_MIN = 95;
const CATEGORIES = { accessibility: 'accessibility', 'best-practices': 'best practices' } as const;
const FORMS = {
  desktop: { mobile: false, width: 1440, height: 900, deviceScaleFactor: 1 },
  mobile: { mobile: true, width: 390, height: 844, deviceScaleFactor: 2 },
} as const;
type Form = keyof typeof FORMS;
type Audit = { id: string; title: string; score: number | null; scoreDisplayMode: string };
type Report = {
  audits: Record<string, Audit>;
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
};
type Lighthouse = (url: string, flags: object) => Promise<{ lhr: Report } | undefined>;
type Score = { page: string; category: string; score: number; failed: string[] };

export const lighthouse: Benchmark = {
  name: 'lighthouse',
  summary: 'Lighthouse on the pages of the console, signed in, on a desktop and on a phone: the lowest scores',
  isPossible: () => process.env.TRAMONTANE_TEST_LIGHTHOUSE !== undefined && chromiumPath !== undefined,
  run: ({ quick, progress }) =>
    inTemporaryDir(async (directory) => {
      await buildConsole();
      const shop = await openShop();
      const port = await freePort();
      const args = ['--no-sandbox', `--remote-debugging-port=${port}`];
      const options = { executablePath: chromiumPath ?? '', args };
      const context = await chromium.launchPersistentContext(join(directory, 'profile'), options);
      try {
        const audit = await loadLighthouse();
        return await scorePages({ audit, shop, context, port, routes: routesFor(quick), progress });
      } finally {
        await context.close();
        await shop.stop();
      }
    }),
};

type Run = {
  audit: Lighthouse;
  shop: Shop;
  context: BrowserContext;
  port: number;
  routes: string[];
  progress: (text: string) => void;
};

async function scorePages({ audit, shop, context, port, routes, progress }: Run): Promise<Figure[]> {
  await signInToShop(context, shop);
  const scores: Score[] = [];
  for (const form of Object.keys(FORMS) as Form[])
    for (const route of routes) {
      progress(`lighthouse: ${route}, ${form}`);
      const url = `${shop.url}/console${addressOf({ name: route, route }, shop.ids)}`;
      const result = await audit(url, {
        ...{ port, output: 'json', logLevel: 'error', formFactor: form, screenEmulation: FORMS[form] },
        ...{ onlyCategories: Object.keys(CATEGORIES), throttlingMethod: 'provided', disableStorageReset: true },
      });
      if (!result) throw new Error(`Lighthouse has no report on ${url}.`);
      scores.push(...readScores(result.lhr, `${route} ${form}`));
    }
  return Object.values(CATEGORIES).map((category) => lowestOf(scores, category));
}

function readScores({ categories, audits }: Report, page: string): Score[] {
  return Object.entries(CATEGORIES).map(([id, category]) => {
    const found = categories[id];
    const weighed = found?.auditRefs.filter(({ weight }) => weight > 0) ?? [];
    const failed = weighed.filter((ref) => (audits[ref.id]?.score ?? 1) < 1);
    const score = Math.round((found?.score ?? 0) * 100);
    return { page, category, score, failed: failed.map((ref) => ref.id) };
  });
}

function lowestOf(scores: Score[], category: string): Figure {
  const own = scores.filter((one) => one.category === category).toSorted((a, b) => a.score - b.score);
  const flawed = own.filter(({ score }) => score < 100);
  const note = flawed.map(({ page, score, failed }) => `${page} ${score} (${failed.join(', ')})`).join('; ');
  return {
    name: `${category}, lowest of ${own.length}`,
    value: own[0]?.score ?? 0,
    unit: 'of 100',
    target: { at: '≥', value: SCORE_MIN },
    ...(note ? { note } : {}),
  };
}

/** Every page that can be opened without an object; `TRAMONTANE_BENCH_PAGES` is a pattern for others or fewer. */
function routesFor(quick: boolean): string[] {
  const pattern = process.env.TRAMONTANE_BENCH_PAGES;
  const signedIn = readRoutes().filter((route) => !/^\/(sign-in|link)/.test(route));
  if (pattern) return signedIn.filter((route) => new RegExp(pattern).test(route));
  return quick ? ['/', '/playground', '/models'] : signedIn.filter((route) => !route.includes('$'));
}

/** From the folder in which `npm install lighthouse` ran. */
async function loadLighthouse(): Promise<Lighthouse> {
  const folder = process.env.TRAMONTANE_TEST_LIGHTHOUSE ?? '';
  const file = createRequire(join(folder, 'package.json')).resolve('lighthouse');
  const module: { default: Lighthouse } = await import(pathToFileURL(file).href);
  return module.default;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}
