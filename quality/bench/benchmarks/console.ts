import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { weighFirstView } from '../../../console/test/weigh.ts';
import { CONSOLE_DIR } from '../../../src/console/app/build/app-paths.ts';
import { buildApp } from '../../../src/console/app/build/build-app.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir } from '../children.ts';

const VITEST = join(import.meta.dirname, '../../../node_modules/vitest/vitest.mjs');
const BUILD_SECONDS_MAX = 30;
const FIRST_VIEW_BYTES_MAX = 150_000;
const INTERACTION_MS_MAX = 100;
/** The lines that the browser tests print for each interaction. */
const OF_EVENTS = /^(.+), 10000 events: [\d.]+ ms of work, ([\d.]+) ms by the clock$/gm;
const OF_ROWS = /^(.+), 100000 rows: ([\d.]+) ms at p95 to the next paint$/gm;

export const webConsole: Benchmark = {
  name: 'console',
  summary: 'the web console: its build, the weight of its first view, interactions with long lists in Chromium',
  run: ({ progress }) =>
    inTemporaryDir(async (directory) => {
      progress('console: building');
      const began = performance.now();
      const places = { sources: CONSOLE_DIR, shared: join(directory, 'dist'), own: join(directory, 'own') };
      const dist = await buildApp(places, { signal: AbortSignal.timeout(300_000), onProgress: () => undefined });
      const seconds = (performance.now() - began) / 1000;
      const { bytes } = weighFirstView(dist, 'src/pages/home/routes.tsx');
      progress('console: ten thousand events and a hundred thousand rows in a browser');
      return [
        { name: 'build', value: seconds, unit: 's', target: { at: '<', value: BUILD_SECONDS_MAX } },
        {
          name: 'JavaScript of the first view, gzipped',
          value: bytes / 1000,
          unit: 'kB',
          target: { at: '<', value: FIRST_VIEW_BYTES_MAX / 1000 },
        },
        await slowestInteraction('console/test/gallery', OF_ROWS, 'slowest interaction with 100,000 rows, p95'),
        await slowestInteraction(
          'console/test/workflows',
          OF_EVENTS,
          'slowest interaction with 10,000 events, by the clock',
        ),
      ];
    }),
};

/** The browser tests act on long lists and print the time from each interaction to its paint. */
async function slowestInteraction(tests: string, line: RegExp, figure: string): Promise<Figure> {
  const args = [VITEST, 'run', tests, '--disableConsoleIntercept'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, NO_COLOR: '1', TRAMONTANE_TEST_FULL: '1' },
  });
  const measured = [...stdout.matchAll(line)].map(([, name, ms]) => ({ name, ms: Number(ms) }));
  if (measured.length === 0) throw new Error(`No interaction was measured; is Chromium there?\n${stdout.slice(-2000)}`);
  return {
    name: figure,
    value: Math.max(...measured.map(({ ms }) => ms)),
    unit: 'ms',
    target: { at: '<', value: INTERACTION_MS_MAX },
    note: measured.map(({ name, ms }) => `${name} ${ms}`).join(', '),
  };
}
