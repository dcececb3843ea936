import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase, sqliteForTests } from '../../../test/support/databases.ts';
import type { Database } from '../../kit/db/index.ts';
import { countTerms, insertText } from '../store/text.ts';
import { createTermCounts } from './term-counts.ts';

let database: Database;
beforeAll(async () => {
  database = await sqliteForTests().open();
  await add('1_common', 150);
  await add('1_rare', 2);
});

let last = 0;
async function add(word: string, count: number) {
  await database.transaction(async (tx) => {
    for (let i = 0; i < count; i++) await insertText(tx, 'sqlite', { id: ++last, body: word, head: '' });
  });
}

it('frequent terms are counted again only after a while; rare ones and larger limits are counted each time', async () => {
  let nowMs = 0;
  const counts = createTermCounts(() => nowMs);
  const count = async (limit: number) =>
    Object.fromEntries(await counts(database.db, 'sqlite', ['1_common', '1_rare'], limit, { firstId: 1, span: last }));
  expect(await count(120)).toEqual({ '1_common': 120, '1_rare': 2 });
  await add('1_rare', 1);
  await add('1_common', 10);
  expect(await count(110)).toEqual({ '1_common': 110, '1_rare': 3 });
  expect(await count(1000)).toEqual({ '1_common': 160, '1_rare': 3 });
  await sql`delete from search_text where search_text match '1_common'`.execute(database.db);
  expect(await count(1000)).toEqual({ '1_common': 160, '1_rare': 3 });
  nowMs += 11 * 60_000;
  expect(await count(1000)).toEqual({ '1_common': 0, '1_rare': 3 });
});

onEachDatabase('terms of a large collection', (test) => {
  it('few are counted, many are estimated by where they are, and none is more than the limit', async () => {
    const opened = await test.open();
    const [firstId, span] = [1000, 1200];
    await opened.transaction(async (tx) => {
      for (let i = 0; i < span; i++) {
        const words = ['1_each', ...(i % 2 ? ['1_half'] : []), ...(i % 40 ? [] : ['1_few'])];
        await insertText(tx, opened.kind, { id: firstId + i, body: words.join(' '), head: '' });
      }
    });
    const count = async (limit: number) => {
      const terms = ['1_each', '1_half', '1_few', '1_none'];
      return Object.fromEntries(await countTerms(opened.db, opened.kind, terms, limit, { firstId, span }));
    };
    expect(await count(2500)).toEqual({ '1_each': 1200, '1_half': 600, '1_few': 30, '1_none': 0 });
    expect(await count(500)).toEqual({ '1_each': 500, '1_half': 500, '1_few': 30, '1_none': 0 });
  });
});
