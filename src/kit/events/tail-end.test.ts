import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { onEachDatabase, sqliteForTests } from '../../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import { uuid } from '../base/ids.ts';
import type { Database } from '../db/index.ts';
import { observeReads, onPageRead, turns, until } from './events-for-tests.ts';
import { createEvents, type Events } from './index.ts';

const NEVER_MS = 3_600_000;

async function drain(events: Events, stream: string, signal: AbortSignal, seen: number[] = []): Promise<number[]> {
  for await (const { seq } of events.tail(stream, { signal })) seen.push(seq);
  return seen;
}

const append = (database: Database, events: Events, stream: string, count = 1) =>
  database.transaction((tx) => events.append(tx, stream, Array(count).fill({ type: 'said', data: {} })));

onEachDatabase('the end of a tail', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database.close());

  const open = (handle = database, pollMs = NEVER_MS) => createEvents({ database: handle, now: systemClock, pollMs });

  it('comes at once with a signal that was aborted before', async () => {
    const events = open();
    await append(database, events, 'early', 3);
    expect(await drain(events, 'early', AbortSignal.abort())).toEqual([]);
  });

  it('comes cleanly when the signal aborts while it waits', async () => {
    const events = open();
    await append(database, events, 'waiting', 2);
    const controller = new AbortController();
    const seen: number[] = [];
    const draining = drain(events, 'waiting', controller.signal, seen);
    await until(() => seen.length === 2);
    await turns(5);
    controller.abort();
    expect(await draining).toEqual([1, 2]);
  });

  it('comes in the middle of a page, without the rest of it', async () => {
    const events = open();
    await append(database, events, 'halfway', 5);
    const controller = new AbortController();
    const seen: number[] = [];
    for await (const { seq } of events.tail('halfway', { signal: controller.signal })) {
      seen.push(seq);
      if (seq === 2) controller.abort();
    }
    expect(seen).toEqual([1, 2]);
  });

  it('comes cleanly when the signal aborts during a read, even one that fails', async () => {
    const controller = new AbortController();
    const events = open(
      onPageRead(database, async () => {
        controller.abort();
        throw new Error('the database is gone');
      }),
    );
    expect(await drain(events, 'reading', controller.signal)).toEqual([]);
  });

  it('comes with stop, for tails that wait, that hand out and that begin later', async () => {
    const events = open();
    await append(database, events, 'stopped', 2);
    const { signal } = new AbortController();
    const seen: number[] = [];
    const waiting = drain(events, 'stopped', signal, seen);
    const suspended = events.tail('stopped', { signal });
    await suspended.next();
    await until(() => seen.length === 2);
    await events.stop();
    expect(await waiting).toEqual([1, 2]);
    expect(await suspended.next()).toEqual({ done: true, value: undefined });
    expect(await drain(events, 'stopped', signal)).toEqual([]);
  });

  it('leaves no listener behind, however it came', async () => {
    let listeners = 0;
    const listen: Database['wakeups']['listen'] = (topic, listener) => {
      listeners++;
      const unlisten = database.wakeups.listen(topic, listener);
      return () => {
        listeners--;
        unlisten();
      };
    };
    const events = open({ ...database, wakeups: { ...database.wakeups, listen } });
    await append(database, events, 'tidy', 2);
    const withoutTails = listeners;
    const controller = new AbortController();
    const { signal } = controller;
    const removed = vi.spyOn(signal, 'removeEventListener');
    for await (const _ of events.tail('tidy', { signal })) break;
    for await (const _ of events.tail('tidy', { signal, until: () => true }));
    const draining = drain(events, 'tidy', signal);
    expect(listeners).toBe(withoutTails + 1);
    controller.abort();
    await draining;
    expect(listeners).toBe(withoutTails);
    expect(removed).toHaveBeenCalledTimes(3);
    await events.stop();
    expect(listeners).toBe(0);
  });

  it('is the error of a page that could not be read', async () => {
    const events = open(onPageRead(database, () => Promise.reject(new Error('the disk is gone'))));
    await expect(drain(events, 'broken', new AbortController().signal)).rejects.toThrow('the disk is gone');
  });
});

describe('the poller', () => {
  const test = sqliteForTests();
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database.close());
  afterEach(() => vi.useRealTimers());

  const deaf = (handle: Database) => ({ ...handle, wakeups: { ...handle.wakeups, listen: () => () => undefined } });

  function setUp(observer: Parameters<typeof observeReads>[1]): Events {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    return createEvents({ database: deaf(observeReads(database, observer)), now: systemClock });
  }

  it('is one timer and one query per 256 streams, however many tails there are', async () => {
    let queries = 0;
    let pages = 0;
    const events = setUp({
      before(table) {
        if (table === 'event_streams') queries++;
      },
      async after(table) {
        if (table === 'events') pages++;
      },
    });
    const controller = new AbortController();
    const seen: number[] = [];
    // Of this attempt alone: another one has written to its own.
    const many = uuid();
    const tails = Array.from({ length: 5000 }, (_, i) => drain(events, `${many}-${i % 2500}`, controller.signal, seen));
    await until(() => pages >= 2500);
    await turns(5);
    await append(database, events, `${many}-2499`);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    await until(() => seen.length >= 2 && vi.getTimerCount() === 1);
    expect(queries).toBe(10);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort();
    await Promise.all(tails);
    expect(seen).toEqual([1, 1]);
  });

  it('has no timer while nobody tails', async () => {
    const events = setUp({});
    expect(vi.getTimerCount()).toBe(0);
    const [first, second] = [new AbortController(), new AbortController()];
    const tails = [drain(events, 'some', first.signal), drain(events, 'others', second.signal)];
    await turns(5);
    expect(vi.getTimerCount()).toBe(1);
    first.abort();
    await vi.advanceTimersByTimeAsync(1000);
    await turns(5);
    expect(vi.getTimerCount()).toBe(1);
    second.abort();
    await Promise.all(tails);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not hold the process open', () => {
    const events = createEvents({ database, now: systemClock });
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const controller = new AbortController();
    void events.tail('some', { signal: controller.signal }).next();
    expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
    controller.abort();
    timers.mockRestore();
  });

  it('asks again at the next tick when the database failed', async () => {
    let failures = 1;
    const events = setUp({
      before(table) {
        if (table === 'event_streams' && failures-- > 0) throw new Error('not now');
      },
    });
    const tail = events.tail('retried', { signal: new AbortController().signal });
    const next = tail.next();
    await turns(5);
    await append(database, events, 'retried');
    await vi.advanceTimersByTimeAsync(1000);
    await turns(5);
    expect(failures).toBe(0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await next).toMatchObject({ value: { seq: 1 } });
    await tail.return();
  });

  it('does not read pages for streams that have nothing new', async () => {
    let pages = 0;
    const events = setUp({
      before(table) {
        if (table === 'events') pages++;
      },
    });
    await append(database, events, 'quiet', 3);
    const controller = new AbortController();
    const draining = drain(events, 'quiet', controller.signal);
    await turns(5);
    await vi.advanceTimersByTimeAsync(5000);
    await turns(5);
    expect(pages).toBe(1);
    controller.abort();
    await draining;
  });
});
