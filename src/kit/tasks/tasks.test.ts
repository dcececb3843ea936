import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../db/index.ts';
import { createTasks, LeaseLost, type NewTask, type Tasks } from './index.ts';
import { createTestClock, type TestClock } from './tasks-for-tests.ts';

const LEASE_MS = 30_000;
const outside = AsyncLocalStorage.snapshot();

onEachDatabase('the task queue', (test) => {
  let database: Database;
  let clock: TestClock;
  let tasks: Tasks;
  let queue: string;
  let queues = 0;

  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database.close());
  beforeEach(() => {
    clock = createTestClock();
    tasks = createTasks({ database, now: clock.now });
    queue = `queue-${++queues}`;
  });

  const enqueue = (task: Partial<NewTask> = {}) =>
    database.transaction((tx) => tasks.enqueue(tx, { queue, payload: {}, ...task }));
  const claim = (limit = 10) => tasks.claim(queue, { limit, leaseMs: LEASE_MS });
  const claimOne = async () => (await claim(1))[0]!;
  const complete = (task: Parameters<Tasks['complete']>[1]) => database.transaction((tx) => tasks.complete(tx, task));
  const stats = async () => (await tasks.stats(database.db)).find((entry) => entry.queue === queue);

  it('gives any JSON payload back as it went in', async () => {
    const payloads = [{ text: 'ß\u0000"', list: [1, null] }, 'text', '"quoted"', 7, false, null, []];
    await database.transaction((tx) =>
      tasks.enqueueMany(
        tx,
        payloads.map((payload, priority) => ({ queue, payload, priority })),
      ),
    );
    expect((await claim()).map(({ payload }) => payload)).toEqual(payloads);
  });

  it('lets organizations take turns, then their keys, none beyond its share, whoever came first', async () => {
    const turns = { perTenantMax: 3, perKeyMax: 2 };
    const take = async (limit: number) => {
      const taken = await tasks.claim(queue, { limit, leaseMs: LEASE_MS, turns });
      return taken.map((task) => ({ ...task, name: String(task.payload) }));
    };
    const add = (organization: string, key: string, count: number) =>
      database.transaction((tx) =>
        tasks.enqueueMany(
          tx,
          Array.from({ length: count }, (_, i) => ({
            queue,
            payload: `${organization}${key}${i}`,
            priority: i,
            tenant: { organization, key },
          })),
        ),
      );
    await add('a', 'x', 30);
    clock.advance(1);
    await add('a', 'y', 3);
    clock.advance(1);
    await add('b', 'x', 1);
    await enqueue({ payload: 'nobody' });
    const first = await take(2);
    expect(first.map(({ name }) => name)).toEqual(['ax0', 'bx0']);
    // Of a, one more of x and one of y; then its share is used up.
    const second = await take(10);
    expect(second.map(({ name }) => name)).toEqual(['ay0', 'ax1', 'nobody']);
    expect(await take(10)).toEqual([]);
    await add('c', 'x', 1);
    expect((await take(1)).map(({ name }) => name)).toEqual(['cx0']);
    await complete(first[0]!);
    expect((await take(10)).map(({ name }) => name)).toEqual(['ay1']);
  });

  it('leaves nothing behind and wakes nobody when the transaction of an enqueue rolls back', async () => {
    let woken = 0;
    const unlisten = database.wakeups.listen(`tasks:${queue}`, () => woken++);
    const failing = database.transaction(async (tx) => {
      await tasks.enqueue(tx, { queue, payload: {} });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await stats()).toBeUndefined();
    expect(woken).toBe(0);
    await enqueue();
    expect(woken).toBe(1);
    unlisten();
  });

  it('returns the ids of many tasks in their order', async () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ queue, payload: i, dedupeKey: `key-${i % 290}` }));
    const ids = await database.transaction((tx) => tasks.enqueueMany(tx, many));
    expect(ids.slice(290)).toEqual(ids.slice(0, 10));
    expect(new Set(ids).size).toBe(290);
    const claimed = await claim(1000);
    expect(claimed.map(({ id, payload }) => [payload, id]).sort(([a], [b]) => Number(a) - Number(b))).toEqual(
      ids.slice(0, 290).map((id, i) => [i, id]),
    );
  });

  it('claims by priority, then time, then id', async () => {
    const base = clock.now();
    const late = await enqueue({ runAtMs: base - 1 });
    const early = await enqueue({ runAtMs: base - 2 });
    const urgent = await enqueue({ priority: 1, runAtMs: base });
    const same = [await enqueue({ priority: 200 }), await enqueue({ priority: 200 })].sort();
    expect((await claim(2)).map(({ id }) => id)).toEqual([urgent, early]);
    expect((await claim()).map(({ id }) => id)).toEqual([late, ...same]);
  });

  it('holds a delayed task back until its time, and then puts it in its place', async () => {
    const delayed = await enqueue({ runAtMs: clock.now() + 5000, priority: 1 });
    const other = await enqueue();
    expect(await tasks.nextDue(queue)).toBe(0);
    expect((await claim()).map(({ id }) => id)).toEqual([other]);
    await complete({ id: other, queue, lease_token: 1 });
    expect(await tasks.nextDue(queue)).toBe(clock.now() + 5000);
    clock.advance(4999);
    expect(await claim()).toEqual([]);
    clock.advance(1);
    await enqueue();
    expect((await claimOne()).id).toBe(delayed);
  });

  it('never hands a leased task to a second claim', async () => {
    await enqueue();
    expect(await claim()).toHaveLength(1);
    clock.advance(LEASE_MS - 1);
    expect(await claim()).toEqual([]);
  });

  it('hands a task whose lease ran out to another with a higher token, and refuses the late completion', async () => {
    const other = createTasks({ database: await test.open(), now: clock.now });
    await enqueue();
    const first = await claimOne();
    clock.advance(LEASE_MS);
    const [second] = await other.claim(queue, { limit: 1, leaseMs: LEASE_MS });
    expect(second).toMatchObject({ id: first.id, attempt: 2, lease_token: first.lease_token + 1 });

    const late = database.transaction(async (tx) => {
      await tx
        .insertInto('signals')
        .values({ name: `late-${queue}`, version: 1 })
        .execute();
      await tasks.completeOrThrow(tx, first);
    });
    await expect(late).rejects.toBeInstanceOf(LeaseLost);
    const written = await database.db.selectFrom('signals').where('name', '=', `late-${queue}`).selectAll().execute();
    expect(written).toEqual([]);
    expect(await tasks.heartbeat(database.db, first, LEASE_MS)).toBe(false);
    expect(await tasks.fail(database.db, first, new Error('late'))).toBe('lost');
    expect(await tasks.release(database.db, first)).toBe(false);
    expect(await complete(first)).toBe(false);
    expect(await complete(second!)).toBe(true);
    expect(await stats()).toBeUndefined();
  });

  it('keeps a task with the worker that sends heartbeats', async () => {
    await enqueue();
    const task = await claimOne();
    for (let i = 0; i < 5; i++) {
      clock.advance(LEASE_MS - 1);
      expect(await tasks.heartbeat(database.db, task, LEASE_MS)).toBe(true);
      expect(await claim()).toEqual([]);
    }
    expect(await complete(task)).toBe(true);
    expect(await complete(task)).toBe(false);
  });

  it('keeps the task when the transaction that completes it rolls back', async () => {
    await enqueue();
    const task = await claimOne();
    const failing = database.transaction(async (tx) => {
      expect(await tasks.complete(tx, task)).toBe(true);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await complete(task)).toBe(true);
  });

  it('waits longer after each failure and declares the task dead after the last', async () => {
    const id = await enqueue({ attemptsMax: 3 });
    for (const longestMs of [1000, 2000]) {
      expect(await tasks.fail(database.db, await claimOne(), new Error('broken'))).toBe('delayed');
      const waitMs = (await tasks.nextDue(queue))! - clock.now();
      expect(waitMs).toBeGreaterThanOrEqual(longestMs / 2);
      expect(waitMs).toBeLessThanOrEqual(longestMs);
      expect(await claim()).toEqual([]);
      clock.advance(waitMs);
    }
    const last = await claimOne();
    expect(last).toMatchObject({ attempt: 3, last_error: 'Error: broken' });
    expect(await tasks.fail(database.db, last, new TypeError('for good'))).toBe('dead');
    clock.advance(10 * LEASE_MS);
    expect(await claim()).toEqual([]);
    expect(await tasks.listDead(database.db, queue)).toMatchObject([
      { id, attempt: 3, last_error: 'TypeError: for good' },
    ]);
    expect(await tasks.listDead(database.db, queue, { after: id })).toEqual([]);

    expect(await database.transaction((tx) => tasks.retryDead(tx, id))).toBe(true);
    expect(await database.transaction((tx) => tasks.retryDead(tx, id))).toBe(false);
    expect(await claimOne()).toMatchObject({ id, attempt: 1, lease_token: 4 });
  });

  it('retries after the delay that the caller names', async () => {
    await enqueue();
    await tasks.fail(database.db, await claimOne(), 'text', { retryInMs: 42_000 });
    expect(await tasks.nextDue(queue)).toBe(clock.now() + 42_000);
  });

  it('declares a task dead whose workers died as often as it had attempts, and keeps its last error', async () => {
    const failed = await enqueue({ attemptsMax: 2, priority: 1 });
    await enqueue({ attemptsMax: 1 });
    await tasks.fail(database.db, await claimOne(), new Error('first'), { retryInMs: 0 });
    expect(await claim()).toHaveLength(2);
    clock.advance(LEASE_MS);
    expect(await claim()).toEqual([]);
    const dead = await tasks.listDead(database.db, queue);
    expect(dead.find(({ id }) => id === failed)?.last_error).toBe('Error: first');
    expect(dead.find(({ id }) => id !== failed)?.last_error).toContain('lease ran out');
  });

  it('makes one task per dedupe key while it waits or runs, and a new one afterwards', async () => {
    const first = await enqueue({ dedupeKey: 'once' });
    expect(await enqueue({ dedupeKey: 'once' })).toBe(first);
    expect(await enqueue({ dedupeKey: 'other' })).not.toBe(first);
    const claimed = await claim();
    expect(claimed).toHaveLength(2);
    expect(await enqueue({ dedupeKey: 'once' })).toBe(first);
    for (const task of claimed) await complete(task);
    expect(await enqueue({ dedupeKey: 'once' })).not.toBe(first);
  });

  it('makes one task per dedupe key under 20 parallel callers', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => enqueue({ dedupeKey: 'race' })));
    expect(new Set(ids).size).toBe(1);
    expect(await claim()).toHaveLength(1);
  });

  it.runIf(test.kind === 'postgres')('lets no task end under a caller who was given its id', async () => {
    const id = await enqueue({ dedupeKey: 'held' });
    const task = await claimOne();
    const order: string[] = [];
    let ending: Promise<unknown> | undefined;
    await database.transaction(async (tx) => {
      expect(await tasks.enqueue(tx, { queue, payload: {}, dedupeKey: 'held' })).toBe(id);
      ending = outside(() => complete(task).then(() => order.push('task ended')));
      await vi.waitFor(async () => {
        const waiting = await sql`select 1 from pg_locks where not granted`.execute(tx);
        expect(waiting.rows).not.toEqual([]);
      });
      order.push('caller ended');
    });
    await ending;
    expect(order).toEqual(['caller ended', 'task ended']);
  });

  it('does not let a dead task hold its dedupe key, nor come back beside its successor', async () => {
    const first = await enqueue({ dedupeKey: 'key', attemptsMax: 1 });
    await tasks.fail(database.db, await claimOne(), new Error('no'));
    const second = await enqueue({ dedupeKey: 'key' });
    expect(second).not.toBe(first);
    expect(await database.transaction((tx) => tasks.retryDead(tx, first))).toBe(false);
    await complete(await claimOne());
    await enqueue({ dedupeKey: 'key', queue: `${queue}-other` });
    expect(await database.transaction((tx) => tasks.retryDead(tx, first))).toBe(true);
  });

  it('cancels a task that waits, runs or is dead', async () => {
    const cancel = (id: string) => database.transaction((tx) => tasks.cancel(tx, id));
    const waiting = await enqueue();
    expect(await cancel(waiting)).toBe(true);
    expect(await cancel(waiting)).toBe(false);
    await enqueue();
    const running = await claimOne();
    expect(await cancel(running.id)).toBe(true);
    expect(await tasks.heartbeat(database.db, running, LEASE_MS)).toBe(false);
    expect(await complete(running)).toBe(false);
    await enqueue({ attemptsMax: 1 });
    const dead = await claimOne();
    await tasks.fail(database.db, dead, new Error('no'));
    expect(await cancel(dead.id)).toBe(true);
    expect(await stats()).toBeUndefined();
  });

  it('gives a released task back at once, and does not count the attempt', async () => {
    await enqueue({ attemptsMax: 1 });
    const first = await claimOne();
    expect(await tasks.release(database.db, first)).toBe(true);
    expect(await complete(first)).toBe(false);
    expect(await claimOne()).toMatchObject({ id: first.id, attempt: 1, lease_token: 2 });
  });

  it('counts waiting, running and dead tasks and tells how old the oldest due one is', async () => {
    await enqueue({ attemptsMax: 1, priority: 1 });
    await tasks.fail(database.db, await claimOne(), new Error('no'));
    await enqueue({ priority: 2 });
    await claim(1);
    await enqueue();
    await enqueue({ runAtMs: clock.now() + 60_000 });
    clock.advance(1500);
    expect(await stats()).toEqual({ queue, waiting: 2, running: 1, dead: 1, quarantined: 0, oldestDueAgeMs: 1500 });
  });
});
