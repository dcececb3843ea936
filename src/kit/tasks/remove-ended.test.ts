import { expect, it, vi } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { countStatements } from '../../../test/support/statements.ts';
import type { RunningTask } from './index.ts';
import { LeaseLost } from './index.ts';
import { gate, setUpRunners } from './tasks-for-tests.ts';

onEachDatabase('a queue that removes its tasks later', (test) => {
  const { current, run, enqueue, rows } = setUpRunners(test);
  const isSqlite = test.kind === 'sqlite';

  const completing = () => {
    const completed: RunningTask[] = [];
    const handler = async (task: RunningTask) => {
      await current().database.transaction((tx) => task.complete(tx));
      completed.push(task);
    };
    return { completed, handler };
  };

  async function enqueueMany(count: number): Promise<void> {
    const { database, tasks, queue } = current();
    const many = Array.from({ length: count }, () => ({ queue, payload: {} }));
    await database.transaction((tx) => tasks.enqueueMany(tx, many));
  }

  it('removes those that have ended, many in one transaction on SQLite, and runs none again', async () => {
    const { completed, handler } = completing();
    const runner = run(handler, { concurrency: 50, removesLater: true });
    const statements = countStatements();
    await enqueueMany(50);
    await runner.idle();
    await vi.waitFor(async () => expect(await rows()).toEqual([]), { timeout: 10_000 });
    const { texts } = statements.stop();
    expect(completed).toHaveLength(50);
    const deleted = texts.filter((text) => text.startsWith('delete from'));
    expect(deleted).toHaveLength(50);
    // One for the tasks, one for the claim, fifty for the handlers, and two for what they left.
    if (isSqlite) expect(texts.filter((text) => text === 'begin immediate')).toHaveLength(54);
  });

  it('removes what is left when it stops', async () => {
    const { completed, handler } = completing();
    const runner = run(handler, { concurrency: 3, removesLater: true });
    await enqueueMany(3);
    await runner.idle();
    expect(completed).toHaveLength(3);
    await runner.stop(1000);
    expect(await rows()).toEqual([]);
  });

  it('gives those of a crashed process to their handler once more', async () => {
    const { tasks, queue } = current();
    await enqueue();
    // Completed, and not yet removed.
    await tasks.claim(queue, { limit: 1, leaseMs: 30_000 });
    if (isSqlite) await tasks.endLeases();
    else current().clock.advance(30_000);
    const seen: number[] = [];
    const runner = run(async ({ attempt }) => void seen.push(attempt), { removesLater: true });
    await runner.idle();
    expect(seen).toEqual([2]);
    expect(await rows()).toEqual([]);
  });

  it('lets no handler complete what was taken from it', async () => {
    const { database, clock, tasks, queue } = current();
    const { handler, began, open } = gate();
    const lost = Promise.withResolvers<unknown>();
    const runner = run(
      async (task, context) => {
        await handler(task, context);
        await database
          .transaction(async (tx) => {
            await tx
              .insertInto('signals')
              .values({ name: `late-${queue}`, version: 1 })
              .execute();
            await task.complete(tx);
          })
          .catch(lost.resolve);
      },
      { removesLater: true },
    );
    await enqueue();
    await began;
    clock.advance(30_000);
    const [again] = await tasks.claim(queue, { limit: 1, leaseMs: 30_000 });
    expect(again?.lease_token).toBe(2);
    open();
    expect(await lost.promise).toBeInstanceOf(LeaseLost);
    await runner.idle();
    expect(await database.db.selectFrom('signals').selectAll().where('name', '=', `late-${queue}`).execute()).toEqual(
      [],
    );
    expect(await rows()).toMatchObject([{ state: 'running', lease_token: 2 }]);
  });

  it('leaves a task alone that was claimed again before it was removed', async () => {
    if (!isSqlite) return;
    const { clock, tasks, queue } = current();
    const { handler, completed } = completing();
    const runner = run(handler, { removesLater: true });
    await enqueue();
    await runner.idle();
    expect(completed).toHaveLength(1);
    clock.advance(30_000);
    await tasks.claim(queue, { limit: 1, leaseMs: 30_000 });
    await runner.stop(1000);
    expect(await rows()).toMatchObject([{ state: 'running', lease_token: 2 }]);
  });
});
