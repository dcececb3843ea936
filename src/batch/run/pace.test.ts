import { expect, it } from 'vitest';
import { createPace } from './pace.ts';

const open = new AbortController().signal;
const quiet = { lastArrivalMs: () => Number.NEGATIVE_INFINITY };
const [a, b] = ['a', 'b'].map((organization) => ({ organization, key: 'k', isBackground: true })) as [never, never];
const turn = () => new Promise(setImmediate);

it('lets so many in as there are places while nobody else asks, and the next when one leaves', async () => {
  const pace = createPace({ concurrency: 3, perTenantMax: 3, ...quiet });
  const enter = () => pace.enter(a, 'm', open);
  const inside = await Promise.all([enter(), enter(), enter()]);
  let entered = false;
  const fourth = enter().then(() => {
    entered = true;
  });
  await turn();
  expect(entered).toBe(false);
  inside[0]?.();
  await fourth;
});

it('keeps to one place for each organization while somebody waits for an answer of their own', async () => {
  let lastMs = performance.now();
  const pace = createPace({ concurrency: 3, lastArrivalMs: () => lastMs });
  await pace.enter(a, 'm', open);
  let entered = false;
  const second = pace.enter(a, 'm', open).then(() => {
    entered = true;
  });
  await turn();
  expect(entered).toBe(false);
  // Another organization has a place of its own.
  await pace.enter(b, 'm', open);
  expect(entered).toBe(false);
  lastMs = Number.NEGATIVE_INFINITY;
  await second;
});

it('does not let in who was told to stop', async () => {
  const pace = createPace({ concurrency: 1, ...quiet });
  await pace.enter(a, 'm', open);
  const stop = new AbortController();
  const second = pace.enter(b, 'm', stop.signal);
  stop.abort(new Error('stop'));
  await expect(second).rejects.toThrow('stop');
});

it("lets a tenant's request in while another's hang in every place that one may have", async () => {
  const pace = createPace({ concurrency: 3, ...quiet });
  for (let i = 0; i < 20; i++) void pace.enter(a, 'hangs', open);
  await turn();
  expect(pace.position(b, 'hangs')).toBe(1);
  await pace.enter(b, 'hangs', open);
});

it('takes the place from a request that takes long, so that a model that hangs holds up no other', async () => {
  const pace = createPace({ concurrency: 1, longMs: 20, ...quiet });
  for (let i = 0; i < 20; i++) void pace.enter(a, 'hangs', open);
  await turn();
  let more = 0;
  void pace.enter(a, 'hangs', open).then(() => more++);
  await pace.enter(a, 'works', open);
  await pace.enter(b, 'works', open);
  await pace.enter(b, 'hangs', open);
  // One tenant never has all places of a model, however long it waits.
  expect(more).toBe(0);
});
