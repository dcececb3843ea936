import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createFairQueue } from '../fair-queue/index.ts';
import { createQueueMetrics } from './queue-metrics.ts';

it('shows for each queue what runs, what waits and for how long it waited, those of one name together', async () => {
  const registry = new Registry();
  const { watch, report } = createQueueMetrics(registry);
  const refuse = () => new Error('full');
  const [first, second] = [1, 2].map(() => createFairQueue({ concurrency: 1, refuse, watch: watch('speech') }));
  const never = new AbortController().signal;
  const slot = await first?.enter({ organization: 'a', key: 'k' }, never);
  await second?.enter({ organization: 'a', key: 'k' }, never);
  const waiting = first?.enter({ organization: 'b', key: 'k' }, never);
  const shown = await registry.metrics();
  expect(shown).toContain('tramontane_queue_running{queue="speech"} 2');
  expect(shown).toContain('tramontane_queue_waiting{queue="speech"} 1');
  expect(shown).toContain('tramontane_queue_waiting_tenants{queue="speech"} 1');
  expect(shown).toMatch(/tramontane_queue_oldest_wait_seconds\{queue="speech"\} 0\.\d/);
  expect(report()).toEqual([{ queue: 'speech', running: 2, waiting: 1, tenants: 1, oldestMs: expect.any(Number) }]);
  slot?.leave();
  await waiting;
  expect(await registry.metrics()).toContain('tramontane_queue_wait_seconds_count{queue="speech"} 3');
});
