import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createFairQueue } from '../../kit/fair-queue/index.ts';
import { createQueueMetrics } from '../../kit/http/index.ts';
import { describeQueues } from './check-queues.ts';

it('the doctor says in which queue something waits, of how many organizations, and for how long', async () => {
  const registry = new Registry();
  const { watch } = createQueueMetrics(registry);
  const queue = createFairQueue({ concurrency: 1, refuse: () => new Error('full'), watch: watch('ocr') });
  createFairQueue({ concurrency: 1, refuse: () => new Error('full'), watch: watch('speech') });
  expect(describeQueues(await registry.metrics())).toMatchObject({ status: 'ok', what: 'nothing waits for its turn' });

  const leaving = new AbortController();
  await queue.enter({ organization: 'a', key: 'k' }, leaving.signal);
  const waiting = ['a', 'b', 'b'].map((organization) => queue.enter({ organization, key: 'k' }, leaving.signal));
  const metrics = await registry.metrics();
  const what = 'ocr: 3 of 2 organizations, the first for 0 s';
  expect(describeQueues(metrics)).toEqual({ name: 'queues', status: 'ok', what });
  const later = metrics.replace(/(oldest_wait_seconds\{queue="ocr"\}) \S+/, '$1 75');
  expect(describeQueues(later)).toMatchObject({ status: 'warn', what: expect.stringContaining('the first for 75 s') });

  leaving.abort(new Error('gone'));
  await Promise.allSettled(waiting);
});
