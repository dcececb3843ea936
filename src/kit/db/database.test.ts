import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { countStatements } from '../../../test/support/statements.ts';
import { afterCommit, beforeCommit, type Database, prepareFor, type Tx } from './index.ts';

const findPrepared = prepareFor((db, name: string) =>
  db.selectFrom('signals').select('version').where('name', '=', name),
);

onEachDatabase('a transaction', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database.close());

  const insert = (name: string) => ({ name, version: 1 });
  const find = (name: string) =>
    database.db.selectFrom('signals').selectAll().where('name', '=', name).executeTakeFirst();

  it('that was closed takes no transaction, and is asked nothing', async () => {
    const closed = await test.open();
    await closed.close();
    const statements = countStatements();
    await expect(closed.transaction(async () => 7)).rejects.toThrow();
    expect(statements.stop().texts).toEqual([]);
  });

  it('commits what it wrote', async () => {
    await database.transaction((tx) => tx.insertInto('signals').values(insert('kept')).execute());
    expect(await find('kept')).toEqual({ name: 'kept', version: 1 });
  });

  it('keeps a NUL in a text as the sign for what is unknown, and finds it by either', async () => {
    await database.transaction((tx) => tx.insertInto('signals').values(insert('with\0nul')).execute());
    const kept = { name: 'with\ufffdnul', version: 1 };
    expect([await find('with\0nul'), await find('with\ufffdnul')]).toEqual([kept, kept]);
  });

  it('leaves nothing behind when it throws', async () => {
    const failing = database.transaction(async (tx) => {
      await tx.insertInto('signals').values(insert('dropped')).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await find('dropped')).toBeUndefined();
  });

  it('refuses the outer handle inside, so no query slips out of it', async () => {
    const slipping = database.transaction(async (tx) => {
      await tx.insertInto('signals').values(insert('slipped')).execute();
      await database.db.selectFrom('signals').selectAll().execute();
    });
    await expect(slipping).rejects.toThrow('outer database handle');
    expect(await find('slipped')).toBeUndefined();
  });

  it('is seen by the prepared queries of its own handle, and by no other before it is committed', async () => {
    const look = async () => {
      const { promise: isOpen, resolve: tellOpen } = Promise.withResolvers<void>();
      const beside = isOpen.then(() => findPrepared(database.db, 'prepared'));
      return database.transaction(async (tx) => {
        await tx.insertInto('signals').values(insert('prepared')).execute();
        tellOpen();
        return [await findPrepared(tx, 'prepared'), await beside];
      });
    };
    // On a busy machine the query beside it may wait for a turn of the event loop, which a transaction must not wait for.
    const seen = await vi.waitFor(look, { timeout: 10_000, interval: 5 });
    expect(seen).toEqual([[{ version: 1 }], []]);
    expect(await findPrepared(database.db, 'prepared')).toEqual([{ version: 1 }]);
  });

  it('refuses prepared queries of the outer handle inside, and of its own handle when it has ended', async () => {
    const slipping = database.transaction(() => findPrepared(database.db, 'prepared'));
    await expect(slipping).rejects.toThrow('outer database handle');
    const ended = await database.transaction(async (tx) => ({ tx }));
    await expect(findPrepared(ended.tx, 'prepared')).rejects.toThrow();
  });

  it('refuses a second transaction inside the first', async () => {
    const nested = database.transaction(() => database.transaction(async () => undefined));
    await expect(nested).rejects.toThrow('already open');
  });

  it('runs its hooks after the commit, and not after a rollback', async () => {
    const seen: string[] = [];
    await database.transaction(async (tx) => {
      afterCommit(tx, () => seen.push('committed'));
      await tx.insertInto('signals').values(insert('hooked')).execute();
      expect(seen).toEqual([]);
    });
    await expect(
      database.transaction(async (tx) => {
        afterCommit(tx, () => seen.push('rolled back'));
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(seen).toEqual(['committed']);
  });

  it('ends with the steps that were put off, by rank and key, and leaves nothing of them when one fails', async () => {
    const seen: string[] = [];
    const step = (tx: Tx, rank: 'signal' | 'audit', key: string) =>
      beforeCommit(tx, rank, key, async () => void seen.push(`${rank} ${key}`));
    await database.transaction(async (tx) => {
      step(tx, 'audit', 'b');
      step(tx, 'signal', 'b');
      step(tx, 'audit', 'a');
      step(tx, 'signal', 'a');
      seen.push('work');
    });
    expect(seen).toEqual(['work', 'signal a', 'signal b', 'audit a', 'audit b']);
    const failing = database.transaction(async (tx) => {
      await tx.insertInto('signals').values(insert('put off')).execute();
      beforeCommit(tx, 'audit', 'a', () => Promise.reject(new Error('no')));
    });
    await expect(failing).rejects.toThrow('no');
    expect(await find('put off')).toBeUndefined();
  });

  it('never waits for another that wants the same two rows in the other order', async () => {
    const rows = ['here', 'there'];
    await database.transaction((tx) => tx.insertInto('signals').values(rows.map(insert)).execute());
    let begun = 0;
    const change = (names: string[]) =>
      database.transaction(async (tx) => {
        begun++;
        for (const name of names)
          beforeCommit(tx, 'signal', name, async () => {
            await tx
              .updateTable('signals')
              .set(({ eb }) => ({ version: eb('version', '+', 1) }))
              .where('name', '=', name)
              .execute();
          });
      });
    await Promise.all(Array.from({ length: 60 }, (_, n) => change(n % 2 ? rows : rows.toReversed())));
    // PostgreSQL would have ended one of two that wait for each other, and it would have begun again.
    expect(begun).toBe(60);
    expect((await find('here'))?.version).toBe(61);
  });

  it('may be committed without a wait for the disk: its work is seen at once, its hooks run when it is durable', async () => {
    const seen: string[] = [];
    const { promise: ran, resolve } = Promise.withResolvers<void>();
    const read = () =>
      database.db.selectFrom('event_streams').select('head').where('stream', '=', 'committed').execute();
    const { result, durable } = await database.commit(async (tx) => {
      await tx.insertInto('event_streams').values({ stream: 'committed', head: 7 }).execute();
      afterCommit(tx, () => {
        seen.push('durable');
        resolve();
      });
      return 'result';
    });
    expect([result, await read()]).toEqual(['result', [{ head: 7 }]]);
    await ran;
    await durable;
    expect(seen).toEqual(['durable']);
    const failing = database.commit(async (tx) => {
      await tx.deleteFrom('event_streams').where('stream', '=', 'committed').execute();
      afterCommit(tx, () => seen.push('rolled back'));
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect([await read(), seen]).toEqual([[{ head: 7 }], ['durable']]);
  });

  it('runs one after another under 50 parallel callers and loses none', async () => {
    await database.transaction((tx) => tx.insertInto('signals').values({ name: 'counter', version: 0 }).execute());
    const raise = () =>
      database.transaction(async (tx) => {
        const lock = tx.selectFrom('signals').select('version').where('name', '=', 'counter');
        const { version } = await (test.kind === 'postgres' ? lock.forUpdate() : lock).executeTakeFirstOrThrow();
        await tx
          .updateTable('signals')
          .set({ version: version + 1 })
          .where('name', '=', 'counter')
          .execute();
      });
    await Promise.all(Array.from({ length: 50 }, raise));
    expect(await find('counter')).toEqual({ name: 'counter', version: 50 });
  });

  it('brings booleans, JSON and text back as they went in', async () => {
    const row = {
      stream: 's',
      seq: 1,
      type: 't',
      data: { list: [1, 'two', null], text: 'ß\n"', nested: { ok: true } },
      created_at: 'now',
    };
    await database.db.insertInto('whole_events').values(row).execute();
    expect(
      await database.db.selectFrom('whole_events').selectAll().where('stream', '=', 's').executeTakeFirst(),
    ).toEqual(row);
  });

  it.runIf(test.kind === 'sqlite')('refuses to wait for anything but its own queries', async () => {
    const waiting = database.transaction(async (tx) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await tx.insertInto('signals').values(insert('late')).execute();
    });
    await expect(waiting).rejects.toThrow('awaited something other');
    expect(await find('late')).toBeUndefined();
  });
});
