import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import { createTasks } from './index.ts';
import {
  COUNTS_BYTES,
  countsIn,
  RUNNERS,
  reaches,
  startCountedRunner,
  TASKS,
} from './threads-for-tests/run-counted.ts';

onEachDatabase('four runners on two handles', (test) => {
  it('lose no task and run none twice', async () => {
    const database = await test.open();
    const queue = 'shared';
    const tasks = createTasks({ database, now: systemClock });
    const all = Array.from({ length: TASKS }, (_, index) => ({ queue, payload: index }));
    await database.transaction((tx) => tasks.enqueueMany(tx, all));

    const buffer = new SharedArrayBuffer(COUNTS_BYTES);
    const counts = countsIn(buffer);
    const thread = new Worker(new URL('./threads-for-tests/runner-thread.ts', import.meta.url), {
      workerData: { options: test.options, queue, buffer },
    });
    const exited = once(thread, 'exit');
    const runners = [1, 2].map(() => startCountedRunner(database, queue, counts));

    await reaches(counts.total, TASKS);
    thread.postMessage('stop');
    await Promise.all(runners.map((runner) => runner.stop(10_000)));
    await exited;

    expect(counts.busy[0]).toBe(RUNNERS);
    expect(counts.overlaps[0]).toBe(0);
    expect([...counts.runs]).toEqual(all.map(() => 1));
    expect(await tasks.stats(database.db)).toEqual([]);
    await database.close();
  });
});
