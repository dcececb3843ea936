import { spawnSync } from 'node:child_process';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

const namesOf = (text: string) =>
  [...text.matchAll(/^# (?:HELP|TYPE) ((?:process|nodejs)_\w+) .*$/gm)].map(([line]) => line).sort();

it('has every default metric of the library but handles, with its type and help', async () => {
  const library = new Registry();
  collectDefaultMetrics({ register: library });
  for (const name of ['nodejs_active_handles', 'nodejs_active_handles_total']) library.removeSingleMetric(name);
  const { dump } = createMetrics();
  expect(namesOf((await dump()).text)).toEqual(namesOf(await library.metrics()));
});

it('reads while a handle that nobody closed is collected', () => {
  const program = `
    import { monitorEventLoopDelay } from 'node:perf_hooks';
    import { createMetrics } from '${new URL('./metrics.ts', import.meta.url)}';
    const { dump } = createMetrics();
    monitorEventLoopDelay();
    await new Promise((resolve) => setTimeout(resolve, 10));
    globalThis.gc();
    const { text } = await dump();
    process.stdout.write(text);`;
  const args = ['--expose-gc', '--experimental-strip-types', '--input-type=module', '-e', program];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).not.toContain('Assertion');
  expect(status).toBe(0);
  expect(stdout).toContain('nodejs_active_resources_total');
});
