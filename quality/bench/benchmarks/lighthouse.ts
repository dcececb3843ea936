import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BrowserContext, chromium } from 'playwright-core';
import { buildConsole } from '../../../console/test/support/build-console.ts';
import { chromiumPath } from '../../../console/test/support/chromium.ts';
import { openShop, type Shop } from '../../shots/open-shop.ts';
import { addressOf, readRoutes } from '../../shots/pages.ts';
import { signInToShop } from '../../shots/sign-in.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir } from '../children.ts';

const SCORE_MIN = 95;
/** Lighthouse now and then asks a page that it has already closed, and ends. */
const TRIES = 3;
const REPORT_BYTES_MAX = 64 * 1024 * 1024;
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
        return await scorePages({ shop, context, port, routes: routesFor(quick), progress });
      } finally {
        await context.close();
        await shop.stop();
      }
    }),
};

type Run = {
  shop: Shop;
  context: BrowserContext;
  port: number;
  routes: string[];
  progress: (text: string) => void;
};

async function scorePages({ shop, context, port, routes, progress }: Run): Promise<Figure[]> {
  await signInToShop(context, shop);
  const scores: Score[] = [];
  for (const form of Object.keys(FORMS) as Form[])
    for (const route of routes) {
      const url = `${shop.url}/console${addressOf({ name: route, route }, shop.ids)}`;
      const found = readScores(await auditPage(url, form, port), `${route} ${form}`);
      progress(`lighthouse: ${route}, ${form}: ${found.map(({ score }) => score).join(', ')}`);
      scores.push(...found);
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

/** By the program in the folder in which `npm install lighthouse` ran, in the browser that is signed in. */
async function auditPage(url: string, form: Form, port: number): Promise<Report> {
  const folder = process.env.TRAMONTANE_TEST_LIGHTHOUSE ?? '';
  const args = [
    ...[join(folder, 'node_modules/lighthouse/cli/index.js'), url, `--port=${port}`, '--output=json', '--quiet'],
    ...[
      `--only-categories=${Object.keys(CATEGORIES).join()}`,
      '--throttling-method=provided',
      '--disable-storage-reset',
    ],
    ...[`--form-factor=${form}`, '--no-enable-error-reporting'],
    ...Object.entries(FORMS[form]).map(([name, value]) => `--screenEmulation.${name}=${value}`),
  ];
  for (let left = TRIES; ; left--)
    try {
      const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: REPORT_BYTES_MAX });
      return JSON.parse(stdout) as Report;
    } catch (error) {
      if (left === 1) throw error;
    }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}
