import { expect, it } from 'vitest';
import { sqliteForTests } from '../../test/support/databases.ts';
import { createLog } from '../kit/base/log.ts';
import type { WorkSpan } from '../metering/index.ts';
import { createSpanSink } from './span-sink.ts';
import { spanAt } from './spans-for-tests.ts';

it('a key, an organization and all together have so many spans waiting; what is written makes room', async () => {
  const database = await sqliteForTests().open();
  const sink = createSpanSink({
    database,
    log: createLog('silent'),
    redact: (texts) => [...texts],
    charactersMax: 100,
  });
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

it('our own spans are written as soon as 512 wait, those that clients sent only with the second', async () => {
  const database = await sqliteForTests().open();
  const sink = createSpanSink({
    database,
    log: createLog('silent'),
    redact: (texts) => [...texts],
    charactersMax: 100,
  });
  const stored = async () => {
    const { count } = await database.db
      .selectFrom('spans')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  const work = (id: number): WorkSpan => ({
    scope: { organization_id: 'o', workspace_id: 'w', key_id: 'k', user_id: 'u' },
    place: { traceId: `t${id}`, spanId: `s${id}`, parentId: '', isWithin: false },
    name: 'work',
    operation: 'work',
    startedAt: id,
    endedAt: id + 1,
    status: 200,
  });
  sink.add([{ span: spanAt(1, {}), content: undefined }]);
  for (let id = 0; id < 511; id++) sink.work(work(id));
  await new Promise((resolve) => setImmediate(resolve));
  expect(await stored()).toBe(0);
  sink.work(work(511));
  while ((await stored()) < 512) await new Promise((resolve) => setImmediate(resolve));
  expect(await stored()).toBe(512);
  sink.work(work(512));
  await sink.flush();
  expect(await stored()).toBe(514);
  await sink.stop();
});

it('a span that cannot be made is dropped alone, and ends neither the flush nor the process', async () => {
  const database = await sqliteForTests().open();
  const sink = createSpanSink({
    database,
    log: createLog('silent'),
    redact: (texts) => [...texts],
    charactersMax: 100,
  });
  const work = (id: string, name: unknown): WorkSpan => ({
    scope: { organization_id: 'o', workspace_id: 'w', key_id: 'k', user_id: 'u' },
    place: { traceId: 't', spanId: id, parentId: '', isWithin: false },
    // What a damaged definition in the database may give.
    name: name as string,
    operation: 'work',
    startedAt: 1,
    endedAt: 2,
    status: 200,
  });
  sink.work(work('s1', 'before'));
  sink.work(work('s2', null));
  sink.work(work('s3', 7));
  sink.work(work('s4', 'after'));
  await sink.stop();
  const rows = await database.db.selectFrom('spans').select('span_id').orderBy('span_id').execute();
  expect(rows.map(({ span_id }) => span_id)).toEqual(['s1', 's4']);
});
