import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../db/index.ts';
import { translateError } from './translate-error.ts';

onEachDatabase('an error of the database', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    return () => database.close();
  });

  it('about a row that refers to one that is gone asks for the request again, and says that nothing was done', async () => {
    const row = { index_id: 'gone', language: 'en', content: 'c', status: 'generated', translated: false };
    const failed = database.transaction((tx) =>
      tx
        .insertInto('search_index_summaries')
        .values(row as never)
        .execute(),
    );
    const error = await failed.catch((cause: unknown) => translateError(cause));
    expect(error).toMatchObject({ status: 503, code: 'changed_meanwhile', headers: { 'retry-after': '1' } });
    expect(String(error)).toContain('nothing was done');
  });
});

it('transactions that wait for each other are asked for again, and what is unknown is a mistake of ours', () => {
  const withCode = (code: string) => Object.assign(new Error('deadlock detected'), { code });
  for (const code of ['40P01', '40001']) expect(translateError(withCode(code))).toMatchObject({ status: 503 });
  expect(translateError(withCode('42601'))).toMatchObject({ status: 500, code: 'internal_error' });
});
