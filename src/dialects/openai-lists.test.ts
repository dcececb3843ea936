import { sql } from 'kysely';
import OpenAI, { toFile } from 'openai';
import { beforeAll, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';

type Listed = AsyncIterable<{ id: string }>;

async function idsOf(items: Listed): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of items) ids.push(id);
  return ids;
}

onEachDatabase("lists of OpenAI's API", (database) => {
  let server: TestServer;
  let client: OpenAI;
  const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey, maxRetries: 0 });
  const upload = async (purpose: 'batch' | 'user_data', of = client) =>
    (await of.files.create({ file: await toFile(Buffer.from('{}\n'), 'a.jsonl'), purpose })).id;
  const made: string[] = [];

  beforeAll(async () => {
    server = await startTestServer(database);
    client = clientOf(server.key);
    for (const purpose of ['batch', 'user_data', 'batch', 'user_data', 'batch'] as const)
      made.push(await upload(purpose));
  });

  it('go on from page to page, in both orders', async () => {
    expect(await idsOf(client.files.list({ limit: 2 }))).toEqual([...made].reverse());
    expect(await idsOf(client.files.list({ limit: 2, order: 'asc' }))).toEqual(made);
    const page = await client.files.list({ limit: 2, after: made[2] ?? '' });
    expect(page).toMatchObject({ data: [{ id: made[1] }, { id: made[0] }], has_more: false });
  });

  it('show the files of one purpose, and none of a purpose that no file has', async () => {
    expect(await idsOf(client.files.list({ limit: 1, purpose: 'user_data' }))).toEqual([made[3], made[1]]);
    expect(await idsOf(client.files.list({ purpose: 'batch', order: 'asc' }))).toEqual([made[0], made[2], made[4]]);
    for (const purpose of ['batch_output', 'ocr', 'assistants'])
      expect(await idsOf(client.files.list({ purpose }))).toEqual([]);
  });

  it.runIf(isSqliteOrFull(database))('refuse a place that is not there, also one of another tenant', async () => {
    const stranger = clientOf(await addStranger(server));
    const strange = await upload('batch', stranger);
    for (const after of [strange, 'file-0123456789abcdef0123456789abcdef'])
      await expect(client.files.list({ after })).rejects.toMatchObject({ status: 404 });
    await expect(client.batches.list({ after: 'batch_0123456789abcdef0123456789abcdef' })).rejects.toMatchObject({
      status: 404,
    });
  });

  it.runIf(isSqliteOrFull(database))('go on behind more than ten thousand files', async () => {
    const { db, kind } = server.platform.database;
    const numbers =
      kind === 'sqlite'
        ? sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10050) select n from numbers`
        : sql`select generate_series(1, 10050) as n`;
    const columns = Object.keys(await db.selectFrom('files').selectAll().limit(1).executeTakeFirstOrThrow());
    const newest = (made.at(-1) ?? '').replace(/^file-(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const values = columns.map((name) => (name === 'id' ? sql`t.id || '-' || n` : sql.ref(`t.${name}`)));
    await sql`insert into files (${sql.join(columns.map((name) => sql.ref(name)))})
      select ${sql.join(values)} from (select * from files where id = ${newest}) as t cross join (${numbers}) as numbers`.execute(
      db,
    );
    const page = await client.files.list({ limit: 3, after: made[3] ?? '' });
    expect(page.data.map(({ id }) => id)).toEqual([made[2], made[1], made[0]]);
    expect((await client.files.list({ limit: 5, order: 'asc' })).data[0]?.id).toBe(made[0]);
  });
});
