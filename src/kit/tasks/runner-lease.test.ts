import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { LeaseLost } from './index.ts';
import { startRun } from './run-task.ts';
import { gate, setUpRunners, silentLog } from './tasks-for-tests.ts';

onEachDatabase('a runner and its leases', (test) => {
  const { current, run, enqueue, rows } = setUpRunners(test);

  it('keeps a long task by heartbeats', async () => {
    const { clock, tasks, queue } = current();
    const leaseMs = 60;
    const { handler, began, open } = gate();
    const runner = run(handler, { leaseMs });
    await enqueue();
    await began;
    for (let i = 0; i < 3; i++) {
      clock.advance(leaseMs - 1);
      await vi.waitFor(async () => expect((await rows())[0]?.due_ms).toBe(clock.now() + leaseMs), { interval: 5 });
      expect(await tasks.claim(queue, { limit: 1, leaseMs })).toEqual([]);
    }
    open();
    await runner.idle();
    expect(await rows()).toEqual([]);
  });

  it('takes what a dead process had at the end of its lease, without waiting for a poll', async () => {
    const { database, clock, tasks, queue } = current();
    const leaseMs = 150;
    await database.transaction((tx) => tasks.enqueueClaimed(tx, { queue, payload: {} }, leaseMs));
    const { handler, began, open } = gate();
    run(handler, { leaseMs });
    clock.advance(leaseMs);
    const [task] = await began;
    expect(task.lease_token).toBe(2);
    open();
  });

  it('a process that is late to renew goes on with what it runs, also at the last attempt', async () => {
    const { clock, lines } = current();
    const began: string[] = [];
    const done = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    const runner = run(
      async ({ payload }, { signal }) => {
        const { name } = payload as { name: string };
        began.push(name);
        signals.push(signal);
        if (name === 'second') second.resolve();
        else await done.promise;
      },
      { concurrency: 3 },
    );
    await enqueue({ payload: { name: 'first' } });
    await enqueue({ payload: { name: 'last try' }, attemptsMax: 1 });
    await vi.waitFor(() => expect(began).toHaveLength(2));
    clock.advance(30_001);
    await enqueue({ payload: { name: 'second' } });
    await second.promise;
    done.resolve();
    await runner.idle();
    expect(began.toSorted()).toEqual(['first', 'last try', 'second']);
    expect(signals.some(({ aborted }) => aborted)).toBe(false);
    expect([await rows(), lines]).toEqual([[], []]);
  });

  it('asks once more at most while the database is slow to renew a lease', async () => {
    const { database, clock, queue, tasks } = current();
    const slow = Promise.withResolvers<void>();
    let asked = 0;
    const held = {
      ...tasks,
      async heartbeat(...call: Parameters<typeof tasks.heartbeat>) {
        asked++;
        await slow.promise;
        return tasks.heartbeat(...call);
      },
    };
    await enqueue();
    const [task] = await tasks.claim(queue, { limit: 1, leaseMs: 30_000 });
    if (!task) throw new Error('nothing was claimed');
    const { handler, open } = gate();
    const common = { handler, leaseMs: 30_000, db: database.db, now: clock.now, log: silentLog };
    const started = startRun({ ...common, task, tasks: held });
    const renewals = Array.from({ length: 10 }, () => started.renew());
    expect(asked).toBe(1);
    slow.resolve();
    await Promise.all(renewals);
    expect(asked).toBe(2);
    open();
    await started.ended;
  });

  it('lets a handler renew its lease itself', async () => {
    const { clock } = current();
    const { handler, began, open } = gate();
    run(handler, { leaseMs: 30_000 });
    await enqueue();
    const [, { heartbeat }] = await began;
    clock.advance(29_000);
    expect(await heartbeat()).toBe(true);
    expect((await rows())[0]?.due_ms).toBe(clock.now() + 30_000);
    open();
  });

  it('refuses what a handler does after its lease was lost, and aborts its signal', async () => {
    const { database, clock, tasks, queue } = current();
    const lost = Promise.withResolvers<unknown>();
    const { handler, began, open } = gate();
    const runner = run(async (task, context) => {
      await handler(task, context);
      const writing = database.transaction(async (tx) => {
        await tx
          .insertInto('signals')
          .values({ name: `late-${queue}`, version: 1 })
          .execute();
        await task.complete(tx);
      });
      await writing.catch((error) => {
        lost.resolve(error);
        throw error;
      });
    });
    await enqueue();
    const [task, { signal, heartbeat }] = await began;
    clock.advance(30_000);
    const [again] = await tasks.claim(queue, { limit: 1, leaseMs: 30_000 });
    expect(again?.lease_token).toBe(task.lease_token + 1);
    expect(await heartbeat()).toBe(false);
    expect(signal.reason).toBeInstanceOf(LeaseLost);
    open();
    expect(await lost.promise).toBeInstanceOf(LeaseLost);
    await runner.idle();
    expect(await database.db.selectFrom('signals').selectAll().where('name', '=', `late-${queue}`).execute()).toEqual(
      [],
    );
    expect(await rows()).toMatchObject([{ state: 'running', lease_token: 2, last_error: null }]);
  });

  it('aborts the handler of a cancelled task at once', async () => {
    const { database, tasks } = current();
    const { handler, began, open } = gate();
    run(handler);
    const id = await enqueue();
    const [, { signal }] = await began;
    await database.transaction((tx) => tasks.cancel(tx, id));
    if (!signal.aborted) await once(signal, 'abort');
    open();
  });

  it('does not take a handler that completed its task for one that lost it', async () => {
    const { database, lines } = current();
    const { handler, began, open } = gate();
    const runner = run(async (task, context) => {
      await database.transaction((tx) => task.complete(tx));
      await handler(task, context);
    });
    await enqueue();
    const [, { signal, heartbeat }] = await began;
    expect(await heartbeat()).toBe(false);
    expect(signal.aborted).toBe(false);
    open();
    await runner.idle();
    expect(lines).toEqual([]);
  });
});
