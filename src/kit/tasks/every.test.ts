import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../db/index.ts';
import { createTaskRunner, createTasks, type Tasks } from './index.ts';
import { createTestClock, silentLog, type TestClock } from './tasks-for-tests.ts';

const HOUR_MS = 3_600_000;
const LEASE_MS = 30_000;

onEachDatabase('a recurring task', (test) => {
  let database: Database;
  let other: Database;
  let clock: TestClock;
  let tasks: Tasks;
  let queue: string;
  let queues = 0;

  beforeAll(async () => {
    database = await test.open();
    other = await test.open();
  });
  afterAll(async () => {
    await database.close();
    await other.close();
  });
  beforeEach(() => {
    clock = createTestClock();
    tasks = createTasks({ database, now: clock.now });
    queue = `queue-${++queues}`;
  });

  const every = async (intervalMs = HOUR_MS) => (await tasks.every([{ queue, name: 'sweep', intervalMs }]))[0]!;
  const claim = () => tasks.claim(queue, { limit: 10, leaseMs: LEASE_MS });
  const rows = () => database.db.selectFrom('tasks').selectAll().where('queue', '=', queue).execute();

  it('is one task, whoever asks for it and however often', async () => {
    const id = await every();
    expect(
      await createTasks({ database: other, now: clock.now }).every([{ queue, name: 'sweep', intervalMs: HOUR_MS }]),
    ).toEqual([id]);
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => every())))).toEqual(new Set([id]));
    await claim();
    expect(await every()).toBe(id);
    expect(await rows()).toHaveLength(1);
  });

  it('may be one of several, which several servers ask for at once', async () => {
    const jobs = ['a', 'b', 'c'].map((name) => ({ queue, name, intervalMs: HOUR_MS }));
    // SQLite has one server.
    const second = createTasks({ database: database.kind === 'postgres' ? other : database, now: clock.now });
    const asked = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? tasks : second).every(jobs)));
    expect(new Set(asked[0]).size).toBe(3);
    for (const ids of asked) expect(ids).toEqual(asked[0]);
    expect((await rows()).map(({ dedupe_key }) => dedupe_key).sort()).toEqual(['every:a', 'every:b', 'every:c']);
  });

  it('runs once per interval, and does not make up for missed turns', async () => {
    const startMs = clock.now();
    await every();
    expect(await claim()).toEqual([]);
    clock.advance(HOUR_MS);
    const [first] = await claim();
    expect(first?.payload).toEqual({ name: 'sweep' });
    clock.advance(10);
    expect(await database.transaction((tx) => tasks.complete(tx, first!))).toBe(true);
    expect(await tasks.nextDue(queue)).toBe(startMs + 2 * HOUR_MS);
    clock.advance(5 * HOUR_MS);
    const late = await claim();
    expect(late).toHaveLength(1);
    expect(await database.transaction((tx) => tasks.complete(tx, late[0]!))).toBe(true);
    expect(await tasks.nextDue(queue)).toBe(startMs + 7 * HOUR_MS);
  });

  it('comes back when its worker dies', async () => {
    await every();
    clock.advance(HOUR_MS);
    for (let deaths = 0; deaths < 3; deaths++) {
      const dueMs = await tasks.nextDue(queue);
      clock.advance(Math.max(0, dueMs! - clock.now()));
      expect(await claim()).toMatchObject([{ deaths }]);
    }
    expect(await rows()).toMatchObject([{ state: 'running', lease_token: 3 }]);
  });

  it('waits for its next turn after its last failed attempt, and remembers why', async () => {
    const startMs = clock.now();
    await every();
    clock.advance(HOUR_MS);
    for (let attempt = 1; attempt <= 5; attempt++) {
      const [task] = await claim();
      expect(task?.attempt).toBe(attempt);
      expect(await tasks.fail(database.db, task!, new Error(`failure ${attempt}`), { retryInMs: 0 })).toBe('delayed');
    }
    expect(await tasks.nextDue(queue)).toBe(startMs + 2 * HOUR_MS);
    expect(await rows()).toMatchObject([{ attempt: 0, last_error: 'Error: failure 5' }]);
  });

  it('takes a shorter interval at once, and a longer one from its next turn', async () => {
    const startMs = clock.now();
    await every();
    await every(1000);
    expect(await tasks.nextDue(queue)).toBe(startMs + 1000);
    await every(HOUR_MS);
    expect(await tasks.nextDue(queue)).toBe(startMs + 1000);
    clock.advance(1000);
    const [task] = await claim();
    await database.transaction((tx) => tasks.complete(tx, task!));
    expect(await tasks.nextDue(queue)).toBe(startMs + 1000 + HOUR_MS);
  });

  it('is carried on by a runner', async () => {
    let runs = 0;
    const handler = async () => void runs++;
    const runner = createTaskRunner({
      database,
      now: clock.now,
      log: silentLog,
      queues: { [queue]: { handler, concurrency: 4 } },
    });
    runner.start();
    await every();
    for (let turn = 1; turn <= 3; turn++) {
      await runner.idle();
      expect(runs).toBe(turn - 1);
      clock.advance(HOUR_MS);
    }
    await runner.idle();
    expect(runs).toBe(3);
    await runner.stop(1000);
    expect(await rows()).toMatchObject([{ state: 'delayed', attempt: 0 }]);
  });
});
