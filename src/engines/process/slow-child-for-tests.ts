import { setTimeout as delay } from 'node:timers/promises';
import { serveParent } from './serve-parent.ts';

export type SlowRequest = { computesMs: number; waitsMs: number };

/** A child that takes its time, by computing or by waiting. */
serveParent<object, SlowRequest, string>(async () => ({
  facts: {},
  async serve({ computesMs, waitsMs }, give) {
    const until = performance.now() + computesMs;
    while (performance.now() < until);
    await delay(waitsMs);
    give('done');
  },
}));
