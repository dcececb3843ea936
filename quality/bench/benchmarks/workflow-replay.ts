import type { Benchmark } from '../benchmark.ts';
import { inTemporaryDir, withChildren } from '../children.ts';

const REPLAY = new URL('../processes/replay-history.ts', import.meta.url);
const EVENTS_PER_STEP = 6;
const MS_MAX = 2000;

export const workflowReplay: Benchmark = {
  name: 'workflow-replay',
  summary: 'an execution with 50,000 events: its history read and replayed by code that never saw it',
  run: ({ quick }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const steps = Math.floor((quick ? 1000 : 50_000) / EVENTS_PER_STEP);
        const worker = start(REPLAY, { role: 'free' });
        const asked = { directory, steps };
        const { events, readMs, allMs } = await worker.ask<{ events: number; readMs: number; allMs: number }>(
          'replay',
          asked,
        );
        return [
          {
            name: `read and replay of ${events} events`,
            value: allMs,
            unit: 'ms',
            target: { at: '<', value: MS_MAX },
            note: `read ${readMs.toFixed(0)} ms`,
          },
        ];
      }),
    ),
};
