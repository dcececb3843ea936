import { expect, it } from 'vitest';
import { onEachDatabase, sqliteForTests } from '../../test/support/databases.ts';
import { createLog } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { WorkSpan } from '../metering/index.ts';
import { createSpanSink } from './span-sink.ts';
import { spanAt } from './spans-for-tests.ts';

const sinkOf = (database: Database) =>
  createSpanSink({ database, log: createLog('silent'), redact: (texts) => [...texts], charactersMax: 100 });

const work = (id: number): WorkSpan => ({
  scope: { organization_id: 'o', workspace_id: 'w', key_id: 'k', user_id: 'u' },
  place: { traceId: `t${id}`, spanId: `s${id}`, parentId: '', isWithin: false },
  name: 'work',
  operation: 'work',
  startedAt: id,
  endedAt: id + 1,
  status: 200,
});

onEachDatabase('a span that comes again', (test) => {
  it('is stored once, and takes nothing with it that waits beside it', async () => {
    const database = await test.open();
    const sink = sinkOf(database);
    const sent = { span: spanAt(1), content: undefined };
    for (const ids of [
      [1, 2],
      [2, 3],
      [4, 4],
    ]) {
      for (const id of ids) sink.work(work(id));
      sink.add([sent, sent]);
      await sink.flush();
    }
    await sink.stop();
    const rows = await database.db.selectFrom('spans').select('span_id').orderBy('span_id').execute();
    expect(rows.map(({ span_id }) => span_id)).toEqual([sent.span.span_id, 's1', 's2', 's3', 's4']);
    await database.close();
  });
});

it('a key, an organization and all together have so many spans waiting; what is written makes room', async () => {
  const database = await sqliteForTests().open();
  const sink = sinkOf(database);
  let ms = 0;
  const send = (organization_id: string, key_id: string, count: number) =>
    sink.add(
      Array.from({ length: count }, () => ({ span: spanAt(++ms, { organization_id, key_id }), content: undefined })),
    );
  expect(send('a', 'a1', 4000)).toBe(4000);
  expect(send('a', 'a1', 4000)).toBe(1000);
  expect(send('a', 'a2', 5000)).toBe(5000);
  expect(send('a', 'a3', 10)).toBe(0);
  expect(send('b', 'b1', 10)).toBe(10);
  expect(send('b', 'b1', 0)).toBe(0);
  await sink.flush();
  expect(send('a', 'a1', 10)).toBe(10);
  await sink.stop();
  const { count } = await database.db
    .selectFrom('spans')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(10_020);
});

it('our own spans are written as soon as 256 wait, those that clients sent only with the second', async () => {
  const database = await sqliteForTests().open();
  const sink = sinkOf(database);
  const stored = async () => {
    const { count } = await database.db
      .selectFrom('spans')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  sink.add([{ span: spanAt(1, {}), content: undefined }]);
  for (let id = 0; id < 255; id++) sink.work(work(id));
  await new Promise((resolve) => setImmediate(resolve));
  expect(await stored()).toBe(0);
  sink.work(work(255));
  while ((await stored()) < 256) await new Promise((resolve) => setImmediate(resolve));
  expect(await stored()).toBe(256);
  sink.work(work(256));
  await sink.flush();
  expect(await stored()).toBe(258);
  await sink.stop();
});

it('a span that cannot be made is dropped alone, and ends neither the flush nor the process', async () => {
  const database = await sqliteForTests().open();
  const sink = sinkOf(database);
  // What a damaged definition in the database may give.
  for (const [id, name] of ['before', null, 7, 'after'].entries()) sink.work({ ...work(id + 1), name: name as string });
  await sink.stop();
  const rows = await database.db.selectFrom('spans').select('span_id').orderBy('span_id').execute();
  expect(rows.map(({ span_id }) => span_id)).toEqual(['s1', 's4']);
});
