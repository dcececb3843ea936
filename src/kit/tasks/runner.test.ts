import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../db/index.ts';
import { gate, setUpRunners } from './tasks-for-tests.ts';

onEachDatabase('a task runner', (test) => {
  const { current, run, enqueue, rows } = setUpRunners(test);

  it('begins a task when it is enqueued, and completes it when the handler returns', async () => {
    const { queue } = current();
    const { handler, began, open } = gate();
    const runner = run(handler);
    const id = await enqueue({ payload: { n: 1 } });
    const [task] = await began;
    expect(task).toMatchObject({ id, queue, payload: { n: 1 }, attempt: 1, lease_token: 1 });
    expect(await rows()).toMatchObject([{ state: 'running' }]);
    open();
    await runner.idle();
    expect(await rows()).toEqual([]);
  });

  it('runs as many handlers at a time as it may, and no more', async () => {
    const { database, tasks, queue } = current();
    let running = 0;
    let most = 0;
    let runs = 0;
    const runner = run(
      async () => {
        most = Math.max(most, ++running);
        await database.ping();
        running--;
        runs++;
      },
      { concurrency: 7 },
    );
    await database.transaction((tx) =>
      tasks.enqueueMany(
        tx,
        Array.from({ length: 50 }, () => ({ queue, payload: {} })),
      ),
    );
    await runner.idle();
    expect({ runs, most }).toEqual({ runs: 50, most: 7 });
  });

  it('finds by its poll what it was not woken for', async () => {
    const { clock } = current();
    const { handler, began, open } = gate();
    const runner = run(handler, { pollMs: 5 });
    await runner.idle();
    await enqueue({ runAtMs: clock.now() + 60_000 });
    clock.advance(60_000);
    await began;
    open();
  });

  it('sets a timer for the next task that will be due', async () => {
    const { clock } = current();
    const { handler, began, open } = gate();
    const runner = run(handler);
    await enqueue({ runAtMs: clock.now() + 20 });
    await runner.idle();
    clock.advance(20);
    await began;
    open();
  });

  it('lets a handler complete in its own transaction, and completes nothing twice', async () => {
    const { database, queue, lines } = current();
    const runner = run(async (task) => {
      await database.transaction(async (tx) => {
        await tx
          .insertInto('signals')
          .values({ name: `effect-${queue}`, version: 1 })
          .execute();
        await task.complete(tx);
      });
    });
    await enqueue();
    await runner.idle();
    expect(await rows()).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('completes a task whose handler completed it in a transaction that rolled back', async () => {
    const { database } = current();
    const runner = run(async (task) => {
      const failing = database.transaction(async (tx) => {
        await task.complete(tx);
        throw new Error('rolled back');
      });
      await failing.catch(() => undefined);
    });
    await enqueue();
    await runner.idle();
    expect(await rows()).toEqual([]);
  });

  it('retries a task whose handler throws, and logs it without its payload', async () => {
    const { clock, queue, lines } = current();
    let runs = 0;
    const runner = run(async () => {
      if (++runs === 1) throw new Error('broken');
    });
    await enqueue({ payload: { private: 'sesame' } });
    await runner.idle();
    expect(await rows()).toMatchObject([{ state: 'delayed', attempt: 1, last_error: 'Error: broken' }]);
    expect(lines).toMatchObject([{ msg: 'a task failed', queue, attempt: 1, outcome: 'delayed' }]);
    expect(JSON.stringify(lines)).not.toContain('sesame');
    clock.advance(1000);
    await runner.idle();
    expect(runs).toBe(2);
    expect(await rows()).toEqual([]);
  });

  it('runs no handler in the context of the one who enqueued', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const runner = run(async () => void seen.push(context.getStore()));
    await runner.idle();
    await context.run('request', () => enqueue());
    await runner.idle();
    expect(seen).toEqual([undefined]);
  });

  it('goes on when the database was away, and says so once', async () => {
    const { database, lines } = current();
    const { handler, began, open } = gate();
    await enqueue();
    let refusals = 0;
    const transaction: Database['transaction'] = (work) =>
      ++refusals < 4 ? Promise.reject(new Error('away')) : database.transaction(work);
    run(handler, { pollMs: 1, database: { ...database, transaction } });
    await began;
    open();
    expect(lines.map(({ msg }) => msg)).toEqual(['tasks could not be claimed; trying again']);
  });
});
