import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import type { Database } from '../db/index.ts';
import { observeReads, onPageRead, turns, until } from './events-for-tests.ts';
import { createEvents, type Events, type StoredEvent, type TailOptions } from './index.ts';

const NEVER_MS = 3_600_000;
const FIRST = 1;
const NONE = { type: 'none', data: null };

onEachDatabase('a tail', (test) => {
  let database: Database;
  let other: Database;
  const opened: Events[] = [];
  beforeAll(async () => {
    [database, other] = [await test.open(), await test.open()];
  });
  afterAll(async () => {
    await Promise.all(opened.map((events) => events.stop()));
    await Promise.all([database.close(), other.close()]);
  });

  /** Polls so seldom that only wake-ups can carry the news, unless a test asks for the poll. */
  function open(handle: Database, options: { pollMs?: number; pageSize?: number } = {}): Events {
    const events = createEvents({ database: handle, now: systemClock, pollMs: NEVER_MS, ...options });
    opened.push(events);
    return events;
  }
  const append = (events: Events, handle: Database, stream: string, count = 1) =>
    handle.transaction((tx) => events.append(tx, stream, Array(count).fill({ type: 'said', data: { text: 'hello' } })));
  const oneTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

  async function read(events: Events, stream: string, last: number, options: Partial<TailOptions> = {}) {
    const seen: number[] = [];
    const until = ({ seq }: StoredEvent) => seq === last;
    for await (const { seq } of events.tail(stream, { signal: new AbortController().signal, until, ...options }))
      seen.push(seq);
    return seen;
  }

  it('shows history in pages, then what is appended live', async () => {
    const events = open(database, { pageSize: 3 });
    await append(events, database, 'both', 7);
    const tail = events.tail('both', { signal: new AbortController().signal });
    const next = async () => ((await tail.next()).value as StoredEvent).seq;
    for (const seq of oneTo(7)) expect(await next()).toBe(seq);
    for (const seq of [8, 9]) {
      const waiting = next();
      await append(events, database, 'both');
      expect(await waiting).toBe(seq);
    }
    await append(events, database, 'both', 2);
    expect([await next(), await next()]).toEqual([10, 11]);
    await tail.return();
  });

  it('hands what is written in its process to readers that wait for it without a query, as others read it', async () => {
    let reads = 0;
    const counted = observeReads(database, {
      before(table) {
        if (table === 'events') reads++;
      },
    });
    const [here, elsewhere] = [open(counted), open(other)];
    const data = { text: 'é\u2028', left: undefined, at: new Date(0), list: [undefined] };
    const write = () =>
      database.transaction((tx) =>
        here.append(tx, 'offered', [
          { type: 'said', data },
          { type: 'none', data: undefined },
        ]),
      );
    const tails = [here, here].map((events) => events.tail('offered', { signal: new AbortController().signal }));
    const first = tails.map((tail) => tail.next());
    await until(() => reads > 0);
    await turns(3);
    reads = 0;
    await write();
    const seen = await Promise.all(first);
    for (const tail of tails)
      expect((await tail.next()).value).toEqual({ ...NONE, created_at: expect.any(String), seq: 2 });
    const next = tails.map((tail) => tail.next());
    await database.transaction((tx) => here.appendMany(tx, new Map([['offered', [{ type: 'said', data }]]])));
    seen.push(...(await Promise.all(next)));
    expect(reads).toBe(0);
    const stored = await elsewhere.list(other.db, 'offered', { after: 0, limit: 9 });
    expect(seen.map(({ value }) => value)).toStrictEqual([stored[0], stored[0], stored[2], stored[2]]);
    await Promise.all(tails.map((tail) => tail.return()));
  });

  it('resumes exactly after a number', async () => {
    const events = open(database, { pageSize: 2 });
    await append(events, database, 'resumed', 9);
    for (const after of [0, 1, 2, 5, 8]) {
      expect(await read(events, 'resumed', 9, { after })).toEqual(oneTo(9).slice(after));
    }
  });

  it('ends with the event that until names, in history and live', async () => {
    const events = open(database);
    await append(events, database, 'ending', 5);
    expect(await read(events, 'ending', 3)).toEqual([1, 2, 3]);
    const live = read(events, 'ending', 6, { after: 4 });
    await append(events, database, 'ending', 3);
    expect(await live).toEqual([5, 6]);
  });

  it.each([
    ['an empty page', 0],
    ['a page that is not full', 2],
    ['the last full page', 4],
  ])(
    'loses nothing and repeats nothing when an append falls between reading %s and handing it out',
    async (_, history) => {
      const stream = `race-${history}`;
      const writer = open(database);
      if (history > 0) await append(writer, database, stream, history);
      let races = 0;
      const racing = onPageRead(database, async () => {
        if (races++ < 3) await append(writer, database, stream, 2);
      });
      expect(await read(open(racing, { pageSize: 4 }), stream, history + 6)).toEqual(oneTo(history + 6));
    },
  );

  it('shows each of 5,000 events once and in order to readers that start while two handles write', async () => {
    const handles = [database, other];
    // Two handles of one process would wait for each other inside SQLite with the event loop stopped.
    let turn: Promise<unknown> = Promise.resolve();
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      if (test.kind === 'postgres') return work();
      const done = turn.then(work);
      turn = done;
      return done;
    };
    const total = 5000;
    const halfway = Promise.withResolvers<void>();
    let left = total;
    const write = async (handle: Database, writer: number) => {
      const events = open(handle);
      for (let round = 0; left > 0; round++) {
        const count = Math.min(left, ((round * 7 + writer) % 25) + 1);
        left -= count;
        await inTurn(() => append(events, handle, 'stormy', count));
        if (left < total / 2) halfway.resolve();
      }
    };
    const writers = handles.flatMap((handle) => [write(handle, 1), write(handle, 2)]);
    await halfway.promise;
    const readers = handles.flatMap((handle) => {
      const events = open(handle, { pollMs: 5, pageSize: 100 });
      return [0, 1000, 2400].map(async (after) => {
        expect(await read(events, 'stormy', total, { after })).toEqual(oneTo(total).slice(after));
      });
    });
    await Promise.all([...writers, ...readers]);
  });

  it('sees what another process writes by the poll alone', async () => {
    const deaf = { ...database, wakeups: { ...database.wakeups, listen: () => () => undefined } };
    const [reading, writing] = [open(deaf, { pollMs: 5 }), open(other)];
    const seen = read(reading, 'polled', 3);
    await append(writing, other, 'polled', 2);
    await append(writing, other, 'polled');
    expect(await seen).toEqual([1, 2, 3]);
  });

  it.runIf(test.kind === 'postgres')('is woken by NOTIFY when another process writes', async () => {
    const [reading, writing] = [open(database), open(other)];
    let seen = 0;
    const controller = new AbortController();
    const tailing = (async () => {
      for await (const { seq } of reading.tail('notified', { signal: controller.signal })) {
        expect(seq).toBe(++seen);
        controller.abort();
      }
    })();
    // The listening connection may still be opening, so one notification could be too early.
    while (seen === 0) await append(writing, other, 'notified');
    await tailing;
  });

  it('never sees an event of a transaction that rolled back', async () => {
    const events = open(database);
    const seen = read(events, 'undone', 1);
    const failing = database.transaction(async (tx) => {
      await events.append(tx, 'undone', [{ type: 'said', data: 'lost' }]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await append(events, database, 'undone');
    expect(await seen).toEqual([1]);
    const [event] = await events.list(database.db, 'undone', { after: 0, limit: 1 });
    expect(event?.data).toEqual({ text: 'hello' });
  });

  it.each(['history', 'live'])('does not show an event before it is durable: %s', async (when) => {
    const stream = `durable-${when}`;
    const asked = Promise.withResolvers<void>();
    const synced = Promise.withResolvers<void>();
    const held = {
      ...database,
      durable() {
        asked.resolve();
        return synced.promise;
      },
    };
    const events = open(held);
    // Of another writer: what its own has made durable is not read at all.
    const writer = open(database);
    if (when === 'history') await append(writer, database, stream);
    let seen: number[] | undefined;
    const reading = read(events, stream, FIRST).then((seqs) => {
      seen = seqs;
    });
    if (when === 'live') await append(writer, database, stream);
    await asked.promise;
    await turns(20);
    expect(seen).toBeUndefined();
    synced.resolve();
    await reading;
    expect(seen).toEqual([1]);
  });

  it('shares one read among all readers that wait at the same place', async () => {
    let reads = 0;
    const counting = onPageRead(database, async () => void reads++);
    const events = open(counting);
    const tails = Array.from({ length: 100 }, () => read(events, 'crowded', 1));
    await until(() => reads > 0);
    await append(events, database, 'crowded');
    for (const seen of await Promise.all(tails)) expect(seen).toEqual([1]);
    expect(reads).toBeLessThan(5);
  });

  it('does not join a read that began before the news', async () => {
    const held = Promise.withResolvers<void>();
    let reads = 0;
    const events = open(onPageRead(database, async () => (reads++ === 0 ? held.promise : undefined)));
    const early = read(events, 'stale', FIRST);
    await until(() => reads === 1);
    await append(events, database, 'stale');
    expect(await read(events, 'stale', FIRST)).toEqual([1]);
    held.resolve();
    expect(await early).toEqual([1]);
  });
});
