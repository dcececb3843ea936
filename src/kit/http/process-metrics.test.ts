import { collectDefaultMetrics, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

const namesOf = (text: string) =>
  [...text.matchAll(/^# (HELP|TYPE) ((process|nodejs)_\w+) .*$/gm)].map(([line]) => line).sort();

it('has every default metric of the library, with its type and help', async () => {
  const library = new Registry();
  collectDefaultMetrics({ register: library });
  const { dump } = createMetrics();
  expect(namesOf((await dump()).text)).toEqual(namesOf(await library.metrics()));
});

it('counts collections of garbage from the first reading on', async () => {
  const { dump } = createMetrics();
  const collectionsOf = (text: string) => (text.match(/^nodejs_gc_duration_seconds_count\{.*/gm) ?? []).length;
  const makeGarbage = () => Array.from({ length: 1_000_000 }, (_, i) => ({ i })).length;
  makeGarbage();
  expect(collectionsOf((await dump()).text)).toBe(0);
  await expect
    .poll(
      async () => {
        makeGarbage();
        return collectionsOf((await dump()).text);
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
});
