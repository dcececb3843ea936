import { once } from 'node:events';
import { expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../db/index.ts';
import { LeaseLost } from './index.ts';
import { gate, setUpRunners } from './tasks-for-tests.ts';

onEachDatabase('a runner that stops', (test) => {
  const { current, run, enqueue, rows } = setUpRunners(test);

  it('waits at its stop for running handlers, and begins nothing more', async () => {
    const { handler, began, open } = gate();
    let runs = 0;
    const runner = run(async (task, context) => {
      runs++;
      await handler(task, context);
    });
    await enqueue();
    const [, { signal }] = await began;
    const waiting = await enqueue();
    const stopped = runner.stop(60_000);
    open();
    await stopped;
    expect(signal.aborted).toBe(false);
    expect(runs).toBe(1);
    expect(await rows()).toMatchObject([{ id: waiting, state: 'ready', attempt: 0 }]);
  });

  it('gives back what a claim brings that was under way at its stop', async () => {
    const { database } = current();
    const claimed = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    const transaction: Database['transaction'] = async (work) => {
      const result = await database.transaction(work);
      claimed.resolve();
      await opened.promise;
      return result;
    };
    let runs = 0;
    await enqueue();
    const runner = run(async () => void runs++, { database: { ...database, transaction } });
    await claimed.promise;
    expect(await rows()).toMatchObject([{ state: 'running' }]);
    const stopped = runner.stop(60_000);
    opened.resolve();
    await stopped;
    expect(runs).toBe(0);
    expect(await rows()).toMatchObject([{ state: 'ready', attempt: 0 }]);
  });

  it('aborts at the limit of its stop and gives the task back, also when the handler just returns', async () => {
    const { database, tasks } = current();
    for (const end of ['throw', 'return'] as const) {
      const { handler, began, open } = gate();
      const runner = run(async (task, context) => {
        void handler(task, context);
        if (!context.signal.aborted) await once(context.signal, 'abort');
        if (end === 'throw') context.signal.throwIfAborted();
      });
      const id = await enqueue();
      await began;
      await runner.stop(10);
      expect(await rows()).toMatchObject([{ id, state: 'ready', attempt: 0, lease_token: 1, last_error: null }]);
      await database.transaction((tx) => tasks.cancel(tx, id));
      open();
    }
  });

  it('gives the task of a handler back that does not heed the abort, and refuses its completion', async () => {
    const { database } = current();
    const { handler, began, open } = gate();
    const refused = Promise.withResolvers<unknown>();
    const runner = run(async (task, context) => {
      await handler(task, context);
      await database.transaction((tx) => task.complete(tx)).catch(refused.resolve);
    });
    await enqueue();
    await began;
    await runner.stop(5);
    expect(await rows()).toMatchObject([{ state: 'ready', attempt: 0 }]);
    open();
    expect(await refused.promise).toBeInstanceOf(LeaseLost);
    expect(await rows()).toMatchObject([{ state: 'ready', attempt: 0 }]);
  });
});
