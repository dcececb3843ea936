import { collectDefaultMetrics, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

const lagOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/^nodejs_eventloop_lag_(\w+)_seconds (\S+)$/gm)].map(([, figure, value]) => [
      figure,
      Number(value),
    ]),
  );

it('tells the delays of the event loop under the names of the library, from the first reading on', async () => {
  const library = new Registry();
  collectDefaultMetrics({ register: library });
  // Node may end the process when it is asked for them.
  for (const name of ['nodejs_active_handles', 'nodejs_active_handles_total']) library.removeSingleMetric(name);
  const { dump } = createMetrics();
  const figures = lagOf((await dump()).text);
  expect(Object.keys(figures).sort()).toEqual(Object.keys(lagOf(await library.metrics())).sort());
  expect(figures.p99).toBeGreaterThan(0.005);
  expect(figures.max).toBeLessThan(60);
  expect(figures.min).toBeLessThanOrEqual(figures.max ?? 0);
  const again = lagOf((await dump()).text);
  expect(Object.keys(again)).toEqual(Object.keys(figures));
});
