import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { postgresForTests } from '../../../test/support/databases.ts';
import { countStatements } from '../../../test/support/statements.ts';
import { systemClock } from '../base/clock.ts';
import type { Database } from '../db/index.ts';
import { createEvents, type Events, makeForm, type NewEvent } from './index.ts';
import { createReadElsewhere, fromNews } from './read-elsewhere.ts';
import type { StoredEvent } from './store/streams.ts';

const url = inject('postgresUrl');
/** Nobody is helped by a poll. */
const pollMs = 600_000;
const isRead = (text: string) =>
  /from (json_array_elements|"?\(select .* from "whole_events|.*"event_batches" as "batch")/s.test(text);

describe.runIf(url)('a stream that another process reads', () => {
  const test = postgresForTests(url ?? '');
  const databases: Database[] = [];
  let writer: Events;
  let other: Events;
  let reader: Events;
  let streams = 0;

  beforeAll(async () => {
    databases.push(await test.open(), await test.open(), await test.open());
    [writer, other, reader] = databases.map((database) => createEvents({ database, now: systemClock, pollMs })) as [
      Events,
      Events,
      Events,
    ];
    for (const { wakeups } of databases) await wakeups.ready();
  });
  afterAll(async () => {
    for (const events of [writer, other, reader]) await events.stop();
    for (const database of databases) await database.close();
  });

  const newStream = () => `elsewhere-${++streams}`;
  const append = (stream: string, ...events: NewEvent[]) =>
    (databases[0] as Database).transaction((tx) => writer.append(tx, stream, events));
  const said = (n: number): NewEvent => ({ type: 'said', data: { n } });

  function follow(stream: string, events = reader) {
    const leaving = new AbortController();
    const seen: StoredEvent[] = [];
    const ended = (async () => {
      for await (const event of events.tail(stream, { signal: leaving.signal })) seen.push(event);
    })();
    const upTo = (seq: number) => expect.poll(() => seen.at(-1)?.seq, { interval: 5 }).toBe(seq);
    const leave = async () => {
      leaving.abort();
      await ended;
    };
    return { seen, upTo, leave };
  }

  /** The first event makes the reader ask; the answer is heard soon. */
  async function followed(stream: string) {
    const following = follow(stream);
    await pause(20);
    await append(stream, said(1));
    await following.upTo(1);
    await pause(60);
    return following;
  }

  it('is read from the database once, and then comes with the notifications, whole and in order', async () => {
    const stream = newStream();
    const { seen, upTo, leave } = await followed(stream);
    const statements = countStatements();
    for (let n = 2; n <= 6; n++) {
      await append(stream, said(n), { type: 'ß "quoted"', data: `text ${n} \ud800 \u0000` });
      await upTo(2 * n - 1);
    }
    expect(statements.stop().texts.filter(isRead)).toEqual([]);
    expect(seen).toEqual(await writer.list((databases[0] as Database).db, stream, { after: 0, limit: 100 }));
    await leave();
  });

  it('has what its events share', async () => {
    const stream = newStream();
    const { seen, upTo, leave } = await followed(stream);
    const events = [2, 3].map((n) => ({
      type: 'said',
      data: [n],
      form: makeForm({ by: 'us' }, { type: 'type', values: ['n'] }),
    }));
    const [database] = databases as [Database];
    await database.transaction((tx) => writer.appendMany(tx, new Map([[stream, events]])));
    await upTo(3);
    expect(seen.map(({ data }) => data)).toEqual([
      { n: 1 },
      { by: 'us', type: 'said', n: 2 },
      { by: 'us', type: 'said', n: 3 },
    ]);
    await leave();
  });

  it('is read where events are long, and misses none where two processes write', async () => {
    const stream = newStream();
    const { seen, upTo, leave } = await followed(stream);
    await append(stream, { type: 'said', data: 'x'.repeat(20_000) }, said(3));
    await upTo(3);
    const second = databases[1] as Database;
    const theirs = (n: number) => second.transaction((tx) => other.append(tx, stream, [said(n)]));
    const all = Array.from({ length: 40 }, (_, i) => () => (i % 2 ? theirs(i) : append(stream, said(i))));
    await Promise.all(all.map((one) => one()));
    await upTo(43);
    expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: 43 }, (_, i) => i + 1));
    await leave();
  });

  it('comes whole to a reader that joins, while others hear of the news', async () => {
    const stream = newStream();
    const first = await followed(stream);
    await append(stream, said(2));
    const second = follow(stream);
    await append(stream, said(3));
    await Promise.all([first.upTo(3), second.upTo(3)]);
    expect(second.seen.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    await Promise.all([first.leave(), second.leave()]);
  });

  it('is told to those who asked only, and no longer than half a minute', async () => {
    const [here, there] = databases as [Database, Database];
    let nowMs = 0;
    const told = createReadElsewhere(here, () => nowMs);
    const asking = createReadElsewhere(there);
    const event = { seq: 7, type: 'said', form: '', own: '{"n":1}', created_at: 'then' };
    expect(told.newsOf('asked', [event])).toBeUndefined();
    asking.ask('asked');
    await expect.poll(() => told.newsOf('asked', [event])).toBe('[7,"said","then",{"n":1}]');
    expect(told.newsOf('other', [event])).toBeUndefined();
    nowMs = 30_001;
    expect(told.newsOf('asked', [event])).toBeUndefined();
    told.stop();
    asking.stop();
  });
});

it('news of another form are none', () => {
  for (const news of [null, 'text', [], [1, 'said'], ['1', 'said', 'then', 0]]) expect(fromNews(news)).toEqual([]);
  expect(fromNews([1, 'said', 'then', 0])).toEqual([{ seq: 1, type: 'said', data: 0, created_at: 'then' }]);
});
