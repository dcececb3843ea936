import { beforeAll, beforeEach, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { makeLibrary, upload } from './libraries-for-tests.ts';
import type { LibraryPassage } from './schema.ts';

type Asked = { model: string; query: string; documents: string[]; top_n: number };

onSqliteFirst('a reranking model', (database) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  let libraryId: string;
  beforeAll(async () => {
    upstream = await startUpstream();
    const model = { id: 'judge', engine: 'upstream', url: upstream.url, kind: 'reranking', upstream_model: 'theirs' };
    server = await startTestServer(database, {
      file: {
        models: [{ ...model, price: { prompt: 1_000_000 } }],
        search: { reranking_model: 'judge' },
        limits: { workspace: { monthly_budget: 200 } },
      },
    });
    ({ id: libraryId } = await makeLibrary(server));
    await upload(server, libraryId, 'often.md', 'Water, water, and water again.\n');
    await upload(server, libraryId, 'once.md', 'The harbour has drinking water for every boat that comes in.\n');
  });
  beforeEach(() => {
    // Last in the list, and longer texts are better.
    upstream.answerWith(({ body }, response) => {
      const { documents } = body as Asked;
      const results = documents.map((text, index) => ({ index, relevance_score: text.length })).reverse();
      json(response, 200, { results, usage: { prompt_tokens: 7 } });
    });
  });

  const search = (body: object) =>
    call(server, `/v1/libraries/${libraryId}/search`, { body: { query: 'water', mode: 'text', ...body } });
  const namesOf = async (body: object) =>
    ((await search(body)).body as { data: LibraryPassage[] }).data.map(({ document_name }) => document_name);

  it('puts passages in order where a search asks for it, and is not asked otherwise', async () => {
    const before = upstream.calls.length;
    expect(await namesOf({})).toEqual(['often.md', 'once.md']);
    expect(upstream.calls).toHaveLength(before);
    const { body } = await search({ rerank: true });
    const { data } = body as { data: LibraryPassage[] };
    expect(data.map(({ document_name }) => document_name)).toEqual(['once.md', 'often.md']);
    expect(data[0]).toMatchObject({ score: data[0]?.scores.rerank, scores: { rerank: data[0]?.text.length } });
    const [asked] = upstream.calls.slice(before);
    expect(asked).toMatchObject({
      path: '/v1/rerank',
      body: { model: 'theirs', query: 'water', documents: expect.arrayContaining([data[0]?.text]), top_n: 2 },
    });
  });

  it.each([
    ['fails', (): [number, object] => [500, {}]],
    ['leaves out a text', (): [number, object] => [200, { results: [{ index: 0, relevance_score: 1 }] }]],
    [
      'names a text twice',
      (): [number, object] => [200, { results: [0, 0].map((index) => ({ index, relevance_score: 1 })) }],
    ],
    [
      'names a text that was not sent',
      (): [number, object] => [200, { results: [0, 9].map((index) => ({ index, relevance_score: 1 })) }],
    ],
    [
      'sends words as scores',
      (): [number, object] => [200, { results: [0, 1].map((index) => ({ index, relevance_score: 'much' })) }],
    ],
  ])('that %s leaves the order as it was', async (_, answer) => {
    upstream.answerWith((_call, response) => json(response, ...answer()));
    const { status, body } = await search({ rerank: true });
    expect(status).toBe(200);
    const { data } = body as { data: LibraryPassage[] };
    expect(data.map(({ document_name, scores }) => [document_name, scores.rerank])).toEqual([
      ['often.md', null],
      ['once.md', null],
    ]);
  });

  it('is not used for anything else', async () => {
    const chat = { model: 'judge', messages: [{ role: 'user', content: 'hello' }] };
    expect((await call(server, '/v1/chat/completions', { body: chat })).status).toBeGreaterThanOrEqual(400);
    const embeddings = { model: 'judge', input: 'hello' };
    expect((await call(server, '/v1/embeddings', { body: embeddings })).status).toBeGreaterThanOrEqual(400);
  });

  it('is paid by who searches, and not asked when the budget is spent', async () => {
    let refused: Awaited<ReturnType<typeof search>> | undefined;
    for (let tries = 0; tries < 40 && !refused; tries++) {
      const before = upstream.calls.length;
      const answer = await search({ rerank: true });
      if (answer.status === 200) continue;
      expect(upstream.calls).toHaveLength(before);
      refused = answer;
    }
    expect(refused).toMatchObject({ status: 429 });
    expect((await search({})).status).toBe(200);
    await server.stop();
    const { db, close } = await database.open();
    const rows = await db
      .selectFrom('usage_records')
      .select(['model', 'prompt_tokens', 'completion_tokens', 'cost_micros'])
      .where('kind', '=', 'reranking')
      .where('status', '=', 200)
      .orderBy('created_at')
      .execute();
    await close();
    expect(rows[0]).toEqual({ model: 'judge', prompt_tokens: 7, completion_tokens: 0, cost_micros: 7_000_000 });
  });
});
