import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { systemClock } from '../base/clock.ts';
import type { Database } from '../db/index.ts';
import { createFiller } from './forms.ts';
import { createEvents, type Events, makeForm, type NewEvent } from './index.ts';
import { createReadTogether } from './read-together.ts';

const DIFFERING = { type: 'type', values: ['n'] } as const;
const OURS = makeForm({ root: 'r', parent: null }, DIFFERING);
const THEIRS = makeForm({ root: 'r', parent: 'p' }, DIFFERING);

/** As it was stored before there were forms. */
const MEMBERS = '"root":"r","parent":null,';

it('a form has a mark for the type and for each value, and none is mistaken for one', () => {
  const form = makeForm({ name: '\u0002 "n":\u0002', list: [1] }, { type: 't', values: ['a', 'b', 'c'] });
  const fill = createFiller();
  const filled = { name: '\u0002 "n":\u0002', list: [1], t: 'T$&1', a: '$1', b: null, c: { d: '\u0003' } };
  expect(fill(form, 'T$&1', ['$1', null, { d: '\u0003' }])).toEqual(filled);
  expect(fill(MEMBERS, 'T', [{ n: 1 }])).toEqual({ root: 'r', parent: null, n: 1 });
});

onEachDatabase('events that are appended together', (test) => {
  let database: Database;
  let events: Events;
  let streams = 0;

  beforeAll(async () => {
    database = await test.open();
    events = createEvents({ database, now: systemClock });
  });
  afterAll(async () => {
    await events.stop();
    await database.close();
  });

  const newStream = () => `batched-${++streams}`;
  const append = (stream: string, ...appended: NewEvent[]) =>
    database.transaction((tx) => events.appendMany(tx, new Map([[stream, appended]])));
  const event = (n: number, form = OURS): NewEvent => ({ type: `T${n}`, data: [n], form });
  const whole = (n: number, parent: string | null = null) => ({ root: 'r', parent, type: `T${n}`, n });
  const page = (stream: string, after = 0, limit = 1000) => events.list(database.db, stream, { after, limit });
  const rows = (stream: string) =>
    database.db
      .selectFrom('event_batches')
      .select(['last_seq', 'shared', 'events'])
      .where('stream', '=', stream)
      .orderBy('last_seq')
      .execute();

  it('are one row without their form, and come back whole under their own numbers', async () => {
    const stream = newStream();
    await append(stream, event(1));
    await append(stream, event(2), event(3));
    expect(await rows(stream)).toEqual([
      { last_seq: 1, shared: null, events: '[["T1",1]]' },
      { last_seq: 3, shared: null, events: '[["T2",2],["T3",3]]' },
    ]);
    const found = await page(stream);
    expect(found.map(({ seq, type, data }) => [seq, type, data])).toEqual([1, 2, 3].map((n) => [n, `T${n}`, whole(n)]));
    expect(found[0]?.created_at).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it('keep their form themselves where it is not that of their stream', async () => {
    const stream = newStream();
    await append(stream, event(1), event(2, THEIRS), { type: 'T3', data: { n: 3 } }, { type: 'T4', data: { n: 4 } });
    expect((await rows(stream)).map(({ last_seq, shared }) => [last_seq, shared])).toEqual([
      [1, null],
      [2, THEIRS],
      [4, ''],
    ]);
    expect((await page(stream)).map(({ data }) => data)).toEqual([whole(1), whole(2, 'p'), { n: 3 }, { n: 4 }]);
  });

  it('keep it also in a stream that began without', async () => {
    const stream = newStream();
    await database.transaction((tx) => events.append(tx, stream, [{ type: 'T1', data: 'text' }]));
    await append(stream, event(2));
    expect(await rows(stream)).toMatchObject([{ last_seq: 2, shared: OURS }]);
    expect((await page(stream)).map(({ data }) => data)).toEqual(['text', whole(2)]);
  });

  it('may have values that no row can share: zeros, halves of characters, large ones, and no objects', async () => {
    const stream = newStream();
    const values = ['a\u0000b', '\ud800', 'x'.repeat(40_000), 'plain ß'];
    await append(stream, ...values.map((text) => ({ type: 'said', data: [text], form: OURS })));
    await append(stream, { type: 'said', data: 7 }, { type: 'said', data: null }, { type: 'said', data: {} });
    expect((await page(stream)).map(({ data }) => data)).toEqual([
      ...values.map((n) => ({ root: 'r', parent: null, type: 'said', n })),
      7,
      null,
      {},
    ]);
    const shown = database.db.selectFrom('events').select('seq').where('stream', '=', stream).orderBy('seq');
    expect((await shown.execute()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('that have a form and no list of values are refused', async () => {
    await expect(append(newStream(), { type: 'said', data: 7, form: OURS })).rejects.toThrow('no list of values');
  });

  it('are rows of a view that programs of the previous version read and write', async () => {
    const stream = newStream();
    await append(stream, event(1), event(2));
    const old = { stream, seq: 3, type: 'T3', data: '{"n":3}', created_at: 'then' };
    await database.transaction(async (tx) => {
      await tx.updateTable('event_streams').set({ head: 5 }).where('stream', '=', stream).execute();
      await tx.insertInto('events').values(old).execute();
      // Before there were forms.
      const batch = { stream, created_at: 'then' };
      const shared = { ...batch, last_seq: 4, shared: MEMBERS, events: '[["T4",{"n":4}]]' };
      const plain = { ...batch, last_seq: 5, shared: '', events: '[["T\\"5",{"n":5}]]' };
      await tx.insertInto('event_batches').values([shared, plain]).execute();
    });
    const view = async () => {
      const found = await database.db.selectFrom('events').selectAll().where('stream', '=', stream).execute();
      return found
        .map(({ seq, type, data }) => [seq, type, typeof data === 'string' ? JSON.parse(data) : data])
        .sort(([a], [b]) => a - b);
    };
    expect(await view()).toEqual([
      [1, 'T1', whole(1)],
      [2, 'T2', whole(2)],
      [3, 'T3', { n: 3 }],
      [4, 'T4', { root: 'r', parent: null, n: 4 }],
      [5, 'T"5', { n: 5 }],
    ]);
    expect((await page(stream)).map(({ seq, data }) => [seq, data])).toEqual(
      (await view()).map(([seq, , data]) => [seq, data]),
    );
    await database.db.deleteFrom('events').where('stream', '=', stream).execute();
    expect(await view()).toEqual([]);
    expect(await page(stream)).toEqual([]);
  });

  it('that are damaged come back as their text, and the others are read', async () => {
    const stream = newStream();
    await append(stream, event(1), event(2));
    await append(stream, event(3));
    const damage = database.db.updateTable('event_batches').set({ events: '[["T1"' });
    await damage.where('stream', '=', stream).where('last_seq', '=', 2).execute();
    expect((await page(stream)).map(({ seq, type, data }) => [seq, type, data])).toEqual([
      [2, '', '[["T1"'],
      [3, 'T3', whole(3)],
    ]);
  });

  it('are gone after the removal of their stream', async () => {
    const stream = newStream();
    await append(stream, event(1), event(2));
    await database.transaction((tx) => events.remove(tx, stream));
    expect([await page(stream), await rows(stream)]).toEqual([[], []]);
  });

  it('are paged like all others, wherever a page begins and ends', async () => {
    const one = fc.oneof(
      fc.jsonValue().map((n): NewEvent => ({ type: 'own', data: [n], form: OURS })),
      fc.nat().map((n): NewEvent => ({ type: 'other', data: [n], form: THEIRS })),
      fc.jsonValue().map((data): NewEvent => ({ type: 'any', data })),
    );
    const appends = fc.array(
      fc.record({ isMany: fc.boolean(), list: fc.array(one, { minLength: 1, maxLength: 20 }) }),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    await fc.assert(
      fc.asyncProperty(appends, fc.nat(30), fc.integer({ min: 1, max: 30 }), async (all, after, limit) => {
        const stream = newStream();
        for (const { isMany, list } of all) {
          if (isMany) await append(stream, ...list);
          else
            await database.transaction((tx) =>
              events.append(
                tx,
                stream,
                list.map(({ type, data }) => ({ type, data })),
              ),
            );
        }
        const expected = all
          .flatMap(({ isMany, list }) => list.map((event) => wholeOf(event, isMany)))
          .map((whole, i) => ({ seq: i + 1, ...whole }))
          .slice(after, after + limit);
        const read = createReadTogether(database, limit);
        // Two at once are one statement on PostgreSQL.
        const pages = [page(stream, after, limit), read(stream, after), read(stream, after)];
        for (const found of await Promise.all(pages))
          expect(found.map(({ seq, type, data }) => ({ seq, type, data }))).toEqual(expected);
      }),
      { numRuns: rounds(8, 25) },
    );
  });
});

function wholeOf({ type, data, form }: NewEvent, isMany: boolean): { type: string; data: unknown } {
  const plain = JSON.parse(JSON.stringify(data ?? null)) as unknown;
  if (!isMany || !form) return { type, data: plain };
  return { type, data: { root: 'r', parent: form === OURS ? null : 'p', type, n: (plain as unknown[])[0] } };
}
