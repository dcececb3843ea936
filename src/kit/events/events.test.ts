import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import type { Database } from '../db/index.ts';
import { createEvents, type Events, resumePoint } from './index.ts';

onEachDatabase('an event stream', (test) => {
  let database: Database;
  let events: Events;
  beforeAll(async () => {
    database = await test.open();
    events = createEvents({ database, now: systemClock });
  });
  afterAll(async () => {
    await events.stop();
    await database.close();
  });

  const append = (stream: string, ...data: unknown[]) =>
    database.transaction((tx) =>
      events.append(
        tx,
        stream,
        data.map((one) => ({ type: 'said', data: one })),
      ),
    );
  const seqs = async (stream: string) =>
    (await events.list(database.db, stream, { after: 0, limit: 10_000 })).map(({ seq }) => seq);
  const oneTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

  it('counts from 1, and append returns the last number', async () => {
    expect(await append('counted', 'a')).toBe(1);
    expect(await append('counted', 'b', 'c', 'd')).toBe(4);
    expect(await append('counted')).toBe(4);
    expect(await seqs('counted')).toEqual([1, 2, 3, 4]);
  });

  it('counts every stream for itself', async () => {
    expect(await append('left', 1, 2)).toBe(2);
    expect(await append('right', 1)).toBe(1);
    expect([await events.head(database.db, 'left'), await events.head(database.db, 'right')]).toEqual([2, 1]);
    expect(await events.head(database.db, 'unknown')).toBe(0);
  });

  it('brings any JSON value back as it went in', async () => {
    const values = [
      { nested: [1, null] },
      [1, 'two'],
      'plain text',
      '{"not":"parsed"}',
      '',
      4.5,
      false,
      null,
      'ß\u0000\n',
    ];
    await append('values', ...values);
    const stored = await events.list(database.db, 'values', { after: 0, limit: 100 });
    expect(stored.map(({ data }) => data)).toEqual(values);
    expect(stored[0]).toEqual({
      seq: 1,
      type: 'said',
      data: values[0],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    });
  });

  it('takes more events in one append than a statement has room for', async () => {
    expect(await append('large', ...oneTo(7000))).toBe(7000);
    expect(await seqs('large')).toEqual(oneTo(7000));
  });

  it('lists a page after a number', async () => {
    await append('paged', ...oneTo(10));
    const page = await events.list(database.db, 'paged', { after: 3, limit: 4 });
    expect(page.map(({ seq }) => seq)).toEqual([4, 5, 6, 7]);
  });

  it('shows nothing of a transaction that rolled back, and gives its numbers to the next', async () => {
    await append('undone', 'kept');
    const failing = database.transaction(async (tx) => {
      expect(await events.append(tx, 'undone', [{ type: 'said', data: 'lost' }])).toBe(2);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await seqs('undone')).toEqual([1]);
    expect(await events.head(database.db, 'undone')).toBe(1);
    expect(await append('undone', 'next')).toBe(2);
  });

  it('stays a gapless prefix at every moment while 50 writers append at once and a third of them roll back', async () => {
    const write = async (writer: number) => {
      const size = (writer % 4) + 1;
      const batch = Array.from({ length: size }, (_, i) => ({ type: 'said', data: { writer, i } }));
      const work = database.transaction(async (tx) => {
        await events.append(tx, 'busy', batch);
        if (writer % 3 === 0) throw new Error('rolled back');
      });
      await work.catch((error: unknown) => expect(error).toHaveProperty('message', 'rolled back'));
      return writer % 3 === 0 ? 0 : size;
    };
    let done = false;
    const observer = (async () => {
      while (!done) {
        const seen = await seqs('busy');
        expect(seen).toEqual(oneTo(seen.length));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const written = await Promise.all(Array.from({ length: 50 }, (_, writer) => write(writer)));
    done = true;
    await observer;
    const total = written.reduce((sum, size) => sum + size, 0);
    expect(await seqs('busy')).toEqual(oneTo(total));
    expect(await events.head(database.db, 'busy')).toBe(total);
  });

  it('keeps the events of one append together and in order', async () => {
    await Promise.all(oneTo(20).map((writer) => append('together', [writer, 1], [writer, 2], [writer, 3])));
    const stored = await events.list(database.db, 'together', { after: 0, limit: 100 });
    for (let i = 0; i < stored.length; i += 3) {
      const [writer] = stored[i]!.data as [number];
      expect(stored.slice(i, i + 3).map(({ data }) => data)).toEqual([
        [writer, 1],
        [writer, 2],
        [writer, 3],
      ]);
    }
  });

  it.runIf(test.kind === 'postgres')(
    'makes a second writer wait for the first, so numbers follow commits',
    async () => {
      const first = Promise.withResolvers<void>();
      const taken = Promise.withResolvers<void>();
      const rolledBack = database.transaction(async (tx) => {
        await events.append(tx, 'contended', [{ type: 'said', data: 'first' }]);
        taken.resolve();
        await first.promise;
        throw new Error('no');
      });
      await taken.promise;
      const second = append('contended', 'second');
      expect(await seqs('contended')).toEqual([]);
      first.resolve();
      await expect(rolledBack).rejects.toThrow('no');
      expect(await second).toBe(1);
    },
  );

  it('is gone after its removal, and only it', async () => {
    await append('removed', 1, 2);
    await append('spared', 1);
    await database.transaction((tx) => events.remove(tx, 'removed'));
    expect(await seqs('removed')).toEqual([]);
    expect(await events.head(database.db, 'removed')).toBe(0);
    expect(await seqs('spared')).toEqual([1]);
  });
});

describe('the point to resume from', () => {
  it.each([
    [undefined, 0],
    ['0', 0],
    ['17', 17],
    [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ])('is read from Last-Event-ID %s', (header, after) => expect(resumePoint(header)).toBe(after));

  it.each(['', '-1', '1.5', '1e3', ' 1', '0x10', 'abc', '9007199254740992', 'Infinity', '١'])(
    'is refused as 400 when the header is "%s"',
    (header) => {
      expect(() => resumePoint(header)).toThrow(expect.objectContaining({ status: 400 }));
    },
  );
});
