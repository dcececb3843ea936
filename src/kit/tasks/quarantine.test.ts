import { expect, it, vi } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { QUARANTINE_TOPIC } from './index.ts';
import { gate, setUpRunners } from './tasks-for-tests.ts';

onEachDatabase('a task whose process dies', (test) => {
  const { current, run, enqueue, rows } = setUpRunners(test);
  const LEASE_MS = 30_000;

  /** A process claims the task and is never heard of again. */
  async function die(deaths?: 0 | 1 | 2): Promise<number> {
    const { tasks, queue, clock } = current();
    const claimed = await tasks.claim(queue, {
      limit: 100,
      leaseMs: LEASE_MS,
      ...(deaths !== undefined && { deaths }),
    });
    clock.advance(LEASE_MS);
    return claimed.length;
  }

  it('is quarantined after three deaths, with all attempts left, and runs no more', async () => {
    const { database, tasks, queue, clock } = current();
    const id = await enqueue({ attemptsMax: 100, tenant: { organization: 'acme', key: 'k' } });
    for (let death = 0; death < 3; death++) expect(await die()).toBe(1);
    let runs = 0;
    const runner = run(async () => void runs++);
    await runner.idle();
    expect(runs).toBe(0);
    expect(await rows()).toMatchObject([{ state: 'quarantined', deaths: 3, due_ms: null, attempt: 3 }]);
    expect(await tasks.nextDue(queue)).toBeUndefined();
    const listed = (await tasks.listQuarantined(database.db)).filter((task) => task.queue === queue);
    expect(listed).toMatchObject([{ id, queue, tenant: 'acme', deaths: 3, quarantined_ms: clock.now() }]);
    const stats = await tasks.stats(database.db);
    expect(stats.find((one) => one.queue === queue)).toMatchObject({ quarantined: 1, waiting: 0, running: 0, dead: 0 });
  });

  it('is run again only by hand, alone, and one more death quarantines it again', async () => {
    const { database, tasks, queue } = current();
    const id = await enqueue();
    for (let death = 0; death < 3; death++) await die();
    const seen: unknown[] = [];
    const runner = run(async ({ attempt, deaths }) => void seen.push({ attempt, deaths }));
    await runner.idle();
    const again = await database.transaction((tx) => tasks.retryQuarantined(tx, id));
    expect(again).toMatchObject({ id, queue });
    await vi.waitFor(async () => expect(await rows()).toEqual([]));
    expect(seen).toEqual([{ attempt: 1, deaths: 2 }]);
    expect(await database.transaction((tx) => tasks.retryQuarantined(tx, id))).toBeUndefined();
  });

  it('keeps its dedupe key, so that the same work is not enqueued beside it', async () => {
    const id = await enqueue({ dedupeKey: 'document' });
    for (let death = 0; death < 3; death++) await die();
    await run(async () => undefined).idle();
    expect(await enqueue({ dedupeKey: 'document' })).toBe(id);
  });

  it('is quarantined also when it recurs, and its deaths are forgotten when it ends well', async () => {
    const { tasks, queue, clock } = current();
    await tasks.every([{ queue, name: 'job', intervalMs: 60_000 }]);
    for (let death = 0; death < 2; death++) {
      clock.advance(60_000);
      await die();
    }
    const ended = run(async () => undefined);
    await ended.idle();
    await ended.stop(0);
    expect(await rows()).toMatchObject([{ state: 'delayed', deaths: 0 }]);
    for (let death = 0; death < 3; death++) {
      clock.advance(60_000);
      await die();
    }
    await run(async () => undefined).idle();
    expect(await rows()).toMatchObject([{ state: 'quarantined' }]);
  });

  it('is told once for the audit log, to whoever is woken', async () => {
    const { database, tasks, queue } = current();
    const woken = vi.fn();
    const unlisten = database.wakeups.listen(QUARANTINE_TOPIC, woken);
    const id = await enqueue();
    for (let death = 0; death < 3; death++) await die();
    await run(async () => undefined).idle();
    await vi.waitFor(() => expect(woken).toHaveBeenCalled());
    const take = async () =>
      (await database.transaction((tx) => tasks.takeUnreported(tx))).filter((task) => task.queue === queue);
    expect(await take()).toMatchObject([{ id }]);
    expect(await take()).toEqual([]);
    unlisten();
  });

  it('ends in the transaction that quarantines it what clients wait for', async () => {
    const ended: unknown[] = [];
    await enqueue({ payload: { run: 1 } });
    for (let death = 0; death < 3; death++) await die();
    const onQuarantine = async (_: unknown, { payload }: { payload: unknown }) => void ended.push(payload);
    await run(async () => undefined, { onQuarantine }).idle();
    expect(ended).toEqual([{ run: 1 }]);
  });

  it('is not blamed for a death beside a task on trial', async () => {
    const { tasks, queue, clock } = current();
    await enqueue({ payload: 'poison' });
    for (let death = 0; death < 2; death++) await die();
    const beside = await enqueue({ payload: 'beside' });
    await tasks.claim(queue, { limit: 2, leaseMs: LEASE_MS });
    await tasks.setBesideTrial([beside], true);
    clock.advance(LEASE_MS);
    expect(await die()).toBe(1);
    expect((await rows()).map(({ payload, state, deaths }) => [payload, state, deaths])).toEqual([
      ['poison', 'quarantined', 3],
      ['beside', 'running', 0],
    ]);
    // The mark was for that claim alone.
    expect(await die()).toBe(1);
    expect((await rows()).at(-1)).toMatchObject({ payload: 'beside', deaths: 1 });
  });

  it('is not blamed for deaths beside tasks on trial, however many', async () => {
    const { tasks, queue, clock } = current();
    const id = await enqueue();
    for (let death = 0; death < 6; death++) {
      await tasks.claim(queue, { limit: 1, leaseMs: LEASE_MS });
      await tasks.setBesideTrial([id], true);
      clock.advance(LEASE_MS);
    }
    expect(await die()).toBe(1);
    expect(await rows()).toMatchObject([{ state: 'running', deaths: 0 }]);
  });

  it('has no death when only its lease ran out, as its process finds when it renews it', async () => {
    const { tasks, queue, clock } = current();
    await enqueue();
    for (let stall = 0; stall < 4; stall++) {
      const { handler, began, open } = gate();
      const runner = run(handler);
      const [, { heartbeat }] = await began;
      clock.advance(LEASE_MS);
      await tasks.claim(queue, { limit: 0, leaseMs: LEASE_MS });
      expect(await rows()).toMatchObject([{ state: 'ready', deaths: 1 }]);
      expect(await heartbeat()).toBe(false);
      open();
      await runner.stop(0);
      expect(await rows()).toMatchObject([{ deaths: 0 }]);
    }
  });

  it('runs although another tenant has more ready tasks than its share', async () => {
    const turns = { perTenantMax: 1, perKeyMax: 1 };
    await enqueue({ payload: 'suspect', tenant: { organization: 'b', key: 'k' } });
    expect(await die()).toBe(1);
    for (let n = 0; n < 3; n++) await enqueue({ payload: 'long', tenant: { organization: 'a', key: 'k' } });
    const long = gate();
    const suspect = gate();
    const runner = run((task, context) => (task.payload === 'long' ? long : suspect).handler(task, context), {
      concurrency: 5,
      turns,
    });
    await Promise.all([long.began, suspect.began]);
    long.open();
    suspect.open();
    await runner.idle();
  });

  it('marks what runs beside it while it is on trial', async () => {
    const long = gate();
    const poison = gate();
    await enqueue({ payload: 'poison' });
    for (let death = 0; death < 2; death++) await die();
    await enqueue({ payload: 'long' });
    const runner = run((task, context) => (task.payload === 'long' ? long : poison).handler(task, context), {
      concurrency: 5,
    });
    await Promise.all([long.began, poison.began]);
    const marks = async () => (await rows()).map(({ payload, is_beside_trial: is }) => [payload, is]);
    expect(await marks()).toEqual([
      ['poison', false],
      ['long', true],
    ]);
    poison.open();
    await vi.waitFor(async () => expect(await marks()).toEqual([['long', false]]));
    long.open();
    await runner.idle();
  });

  it('keeps others from being claimed while it is on trial', async () => {
    const { handler, began, open } = gate();
    await enqueue({ payload: { name: 'poison' } });
    for (let death = 0; death < 2; death++) await die();
    const order: string[] = [];
    const runner = run(
      async (task, context) => {
        const { name } = task.payload as { name: string };
        order.push(name);
        if (name === 'poison') await handler(task, context);
      },
      { concurrency: 5 },
    );
    await began;
    await enqueue({ payload: { name: 'next' } });
    const idle = runner.idle();
    open();
    await idle;
    expect(order).toEqual(['poison', 'next']);
    expect(await rows()).toEqual([]);
  });

  it('is run after those that never saw a death, and beside at most fifteen others with one', async () => {
    const { tasks, database, queue } = current();
    await database.transaction((tx) =>
      tasks.enqueueMany(
        tx,
        Array.from({ length: 40 }, () => ({ queue, payload: 'suspect' })),
      ),
    );
    expect(await die()).toBe(40);
    await enqueue({ payload: 'sound' });
    const began: unknown[] = [];
    const opened = Promise.withResolvers<void>();
    const runner = run(
      async ({ payload }) => {
        began.push(payload);
        if (payload === 'suspect') await opened.promise;
      },
      { concurrency: 30 },
    );
    const idle = runner.idle();
    await vi.waitFor(() => expect(began).toHaveLength(17));
    await database.ping();
    expect(began).toEqual(['sound', ...Array(16).fill('suspect')]);
    opened.resolve();
    await idle;
    expect(began).toHaveLength(41);
  });

  it('after a start the stored tasks of all queues begin one by one, until one has ended', async () => {
    const { tasks, database, queue } = current();
    const first = gate();
    let began = 0;
    for (let n = 0; n < 5; n++) await enqueue();
    await tasks.beginCautiously();
    const runner = run(
      async (task, context) => {
        began++;
        if (began === 1) await first.handler(task, context);
      },
      { concurrency: 5 },
    );
    await first.began;
    const idle = runner.idle();
    await database.ping();
    expect(began).toBe(1);
    expect((await rows()).filter(({ state }) => state === 'running')).toHaveLength(1);
    first.open();
    await idle;
    expect(began).toBe(5);
    expect(await tasks.nextDue(queue)).toBeUndefined();
  });
});
