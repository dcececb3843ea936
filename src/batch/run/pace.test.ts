import { expect, it } from 'vitest';
import { createPace } from './pace.ts';

const open = new AbortController().signal;

it('lets so many in as there are places while nobody else asks, and the next when one leaves', async () => {
  const pace = createPace({ concurrency: 3, lastArrivalMs: () => Number.NEGATIVE_INFINITY });
  const inside = await Promise.all([pace.enter(open), pace.enter(open), pace.enter(open)]);
  let entered = false;
  const fourth = pace.enter(open).then(() => {
    entered = true;
  });
  await new Promise(setImmediate);
  expect(entered).toBe(false);
  inside[0]?.();
  await fourth;
});

it('keeps to one place while somebody waits for an answer of their own', async () => {
  let lastMs = performance.now();
  const pace = createPace({ concurrency: 3, lastArrivalMs: () => lastMs });
  await pace.enter(open);
  let entered = false;
  const second = pace.enter(open).then(() => {
    entered = true;
  });
  await new Promise(setImmediate);
  expect(entered).toBe(false);
  lastMs = Number.NEGATIVE_INFINITY;
  await second;
});

it('does not let in who was told to stop', async () => {
  const pace = createPace({ concurrency: 1, lastArrivalMs: () => Number.NEGATIVE_INFINITY });
  await pace.enter(open);
  const stop = new AbortController();
  const second = pace.enter(stop.signal);
  stop.abort(new Error('stop'));
  await expect(second).rejects.toThrow('stop');
});
