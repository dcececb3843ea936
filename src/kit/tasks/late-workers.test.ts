import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { rounds } from '../../../test/support/rounds.ts';
import type { Database } from '../db/index.ts';
import { type ClaimedTask, createTasks, LeaseLost } from './index.ts';
import { createTestClock } from './tasks-for-tests.ts';

const LEASE_MS = 1000;
const TASKS = 4;

const step = fc.oneof(
  fc.record({ act: fc.constant('claim' as const), n: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ act: fc.constantFrom('complete', 'fail', 'release', 'heartbeat'), n: fc.nat() }),
  fc.record({ act: fc.constant('wait' as const), n: fc.integer({ min: 1, max: 2 * LEASE_MS }) }),
);

onEachDatabase('workers that are late, die and come back', (test) => {
  let database: Database;
  let queues = 0;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database.close());

  async function play(steps: { act: string; n: number }[]): Promise<void> {
    const clock = createTestClock();
    const tasks = createTasks({ database, now: clock.now });
    const queue = `queue-${++queues}`;
    const all = Array.from({ length: TASKS }, (_, payload) => ({ queue, payload, attemptsMax: 1000 }));
    await database.transaction((tx) => tasks.enqueueMany(tx, all));
    // Every claim that was ever made: each may act at any time, whatever became of its lease.
    const claims: ClaimedTask[] = [];
    const tokens = new Map<string, number>();
    let tries = 0;

    async function claim(limit: number): Promise<void> {
      for (const task of await tasks.claim(queue, { limit, leaseMs: LEASE_MS })) {
        expect(task.lease_token).toBeGreaterThan(tokens.get(task.id) ?? 0);
        tokens.set(task.id, task.lease_token);
        claims.push(task);
      }
    }

    /** Writes an effect of the task and completes it, in one transaction. */
    async function finish(task: ClaimedTask): Promise<void> {
      const finishing = database.transaction(async (tx) => {
        await tx
          .insertInto('signals')
          .values({ name: `${task.id}:${++tries}`, version: 1 })
          .execute();
        await tasks.completeOrThrow(tx, task);
      });
      const outcome = await finishing.then(
        () => 'completed',
        (error) => error,
      );
      if (outcome === 'completed') expect(task.lease_token).toBe(tokens.get(task.id));
      else expect(outcome).toBeInstanceOf(LeaseLost);
    }

    for (const { act, n } of steps) {
      const task = claims[n % Math.max(1, claims.length)];
      if (act === 'claim') await claim(n);
      else if (act === 'wait') clock.advance(n);
      else if (task && act === 'complete') await finish(task);
      else if (task && act === 'fail') await tasks.fail(database.db, task, new Error('no'), { retryInMs: n % 100 });
      else if (task && act === 'release') await tasks.release(database.db, task);
      else if (task && act === 'heartbeat') await tasks.heartbeat(database.db, task, LEASE_MS);
    }
    while ((await tasks.nextDue(queue)) !== undefined) {
      clock.advance(LEASE_MS);
      await claim(TASKS);
      for (const task of claims) await finish(task);
    }
    const ids = [...tokens.keys()];
    expect(ids).toHaveLength(TASKS);
    for (const id of ids) {
      const effects = await database.db.selectFrom('signals').select('name').where('name', 'like', `${id}:%`).execute();
      expect(effects).toHaveLength(1);
    }
  }

  it('bring about the effect of each task exactly once', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), play), { numRuns: rounds(10, 30) });
  });
});
