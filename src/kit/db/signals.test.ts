import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { createSignal, type Database } from './index.ts';

onEachDatabase('a signal', (test) => {
  let here: Database;
  let elsewhere: Database;
  beforeAll(async () => {
    here = await test.open();
    elsewhere = await test.open();
  });
  afterAll(async () => {
    await here.close();
    await elsewhere.close();
  });

  it('raised in one process is heard in the other', async () => {
    const raiser = createSignal(here, 'news', Date.now);
    const listener = createSignal(elsewhere, 'news', Date.now);
    await listener.start();
    const heard = new Promise<void>((resolve) => listener.onChange(resolve));
    await here.transaction(async (tx) => raiser.raise(tx));
    await heard;
    await listener.stop();
  });

  it('that was rolled back is heard by nobody', async () => {
    const signal = createSignal(here, 'quiet', Date.now);
    let changes = 0;
    signal.onChange(() => {
      changes++;
    });
    await expect(
      here.transaction(async (tx) => {
        signal.raise(tx);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(changes).toBe(0);
  });

  it('whose news cannot be read in the process that raised it is told there again, and takes nothing down', async () => {
    const signal = createSignal(here, 'stubborn', Date.now);
    await signal.start();
    let told = 0;
    signal.onChange(async () => {
      if (++told === 1) throw new Error('the database is away for a moment');
    });
    await here.transaction(async (tx) => signal.raise(tx));
    await expect.poll(() => told).toBeGreaterThan(1);
    await signal.stop();
  });

  it('is fresh only for a second after it was last read', async () => {
    let ms = 0;
    const signal = createSignal(here, 'clocked', () => ms);
    expect(signal.isFresh()).toBe(false);
    await signal.start();
    expect(signal.isFresh()).toBe(true);
    ms = 1000;
    expect(signal.isFresh()).toBe(false);
    await signal.stop();
  });

  it.runIf(test.kind === 'postgres')(
    'is acknowledged when every other process has heard of it and has read anew what depends on it',
    async () => {
      const raiser = createSignal(here, 'awaited', Date.now);
      const listener = createSignal(elsewhere, 'awaited', Date.now);
      await raiser.start();
      await listener.start();
      let readAnew = 0;
      listener.onChange(async () => {
        await elsewhere.db.selectFrom('signals').selectAll().execute();
        readAnew++;
      });
      for (const times of [1, 2, 3]) {
        await here.transaction(async (tx) => raiser.raise(tx));
        expect(readAnew).toBe(times);
      }
      await raiser.stop();
      await listener.stop();
    },
  );

  it.runIf(test.kind === 'postgres')(
    'is not trusted by a process that has lost its connection, until it listens again; nobody waits for it meanwhile',
    async () => {
      const raiser = createSignal(here, 'lost', Date.now);
      const listener = createSignal(elsewhere, 'lost', Date.now);
      await listener.start();
      expect(listener.isFresh()).toBe(true);
      const name = elsewhere.wakeups.hearsAs() ?? '';
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`.execute(
        here.db,
      );
      await expect.poll(() => listener.isFresh(), { interval: 1 }).toBe(false);
      await here.transaction(async (tx) => raiser.raise(tx));
      await expect.poll(() => listener.isFresh()).toBe(true);
      expect(elsewhere.wakeups.hearsAs()).not.toBe(name);
      await listener.stop();
    },
  );
});
