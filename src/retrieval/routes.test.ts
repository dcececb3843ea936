import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { startUpstream } from '../../test/support/upstream.ts';

const ALL = '/v1/context/search-indexes';
const DEPLOYMENTS = '/v1/rag/deployments';
const PIPELINES = '/v1/rag/ingestion_pipeline_configurations';
const MISSING_ID = '00000000-0000-4000-8000-000000000000';
const custom = { embedding: { type: 'custom', name: 'ours', dimensions: 3 } };
const vespa = {
  name: 'search',
  deployment: {
    type: 'vespa',
    vespa_version: '8.4',
    query_url: 'https://vespa.example.com',
    indexes: [
      {
        name: 'docs',
        sd: 'schema docs {}',
        fields: [
          {
            name: 'body',
            type: 'string',
            storage: 'on_disk',
            ranking: 'text',
            index_type: 'bm25',
            multidimensional: false,
          },
        ],
      },
    ],
  },
};

type Chunk = { id: string; source_id: string; content: string; start_offset: number; end_offset: number };

onEachDatabase('/v1/context/search-indexes and /v1/rag', (database) => {
  let server: TestServer;
  let stranger: string;
  beforeAll(async () => {
    const upstream = await startUpstream();
    server = await startTestServer(database, {
      file: { models: [{ id: 'chatty', engine: 'upstream', url: upstream.url }] },
    });
    stranger = await addStranger(server);
  });
  const send = (method: string, path: string, body?: unknown, key?: string) =>
    call(server, path, { method, key, ...(body === undefined ? {} : { body }) });
  const create = async (name: string, more: Record<string, unknown> = {}) => {
    const answer = await send('POST', ALL, { name, config: custom, ...more });
    expect(answer.status, answer.text).toBe(202);
    return `${ALL}/${name}`;
  };
  const ingest = async (index: string, documents: unknown[]) => {
    const answer = await send('POST', `${index}/documents`, { documents });
    expect(answer.status, answer.text).toBe(200);
    return answer.body as { accepted: number; rejected: number; results: Record<string, unknown>[] };
  };
  const search = async (index: string, retriever: unknown) => {
    const answer = await send('POST', `${index}/search`, { retriever });
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { hits: { chunk: Chunk; score: number; index_name: string; distance: number | null }[] })
      .hits;
  };
  const chunk = (content: string, embedding: number[], more = {}) => ({ content, embedding, ...more });

  describe('200', () => {
    it('an index is created, read, listed by pages, changed and deleted', async () => {
      const fields = { document_fields: { year: { type: 'int', required: true } }, chunk_fields: {} };
      await create('lifecycle-a', { schema: fields });
      await create('lifecycle-b');
      const read = (await send('GET', `${ALL}/lifecycle-a`)).body;
      expect(read).toMatchObject({
        name: 'lifecycle-a',
        status: 'ready',
        config: custom,
        schema: { document_fields: { year: { type: 'int', required: true, indexed: false } } },
      });
      const first = (await send('GET', `${ALL}?page_size=1&name=LIFECYCLE`)).body as Record<string, unknown>;
      expect(first).toMatchObject({ data: [{ name: 'lifecycle-a' }], next_page_token: expect.any(String) });
      const second = await send('GET', `${ALL}?page_size=1&name=LIFECYCLE&page_token=${first.next_page_token}`);
      expect(second.body).toMatchObject({ data: [{ name: 'lifecycle-b' }], next_page_token: null });
      const schema = { document_fields: { tag: { type: 'keyword' } } };
      expect(await send('PUT', `${ALL}/lifecycle-a`, { schema })).toMatchObject({
        status: 202,
        body: { schema: { document_fields: { tag: { indexed: true } }, chunk_fields: {} } },
      });
      expect(await send('DELETE', `${ALL}/lifecycle-a`)).toMatchObject({ status: 202, body: { status: 'deleting' } });
      expect((await send('GET', `${ALL}/lifecycle-a`)).status).toBe(404);
      await create('lifecycle-a');
    });

    it('each change is in the audit log, with the id of the index and without its name', async () => {
      const index = await create('audited-name');
      const { id } = (await send('GET', index)).body as { id: string };
      await send('PUT', index, { schema: { document_fields: {}, chunk_fields: {} } });
      await ingest(index, [{ id: 'secret-document', chunks: [chunk('x', [1, 0, 0])] }]);
      await send('DELETE', `${index}/documents`, { document_ids: ['secret-document', 'missing'] });
      await send('PUT', `${index}/summary_field/en`, { content: 'All.', status: 'handwritten', translated: false });
      await send('DELETE', index);
      const { id: deployment } = (await send('PUT', DEPLOYMENTS, { ...vespa, name: 'audited' })).body as { id: string };
      await send('DELETE', `${DEPLOYMENTS}/${deployment}`);
      const { db } = await database.open();
      const entries = await db.selectFrom('audit_logs').selectAll().orderBy('log_id').execute();
      const of = (target: string) => entries.filter(({ target_metadata }) => target_metadata?.id === target);
      expect(of(id)).toMatchObject([
        { event_type: 'search_index.create' },
        { event_type: 'search_index.update' },
        { event_type: 'search_index.documents.put', event_metadata: { documents: '1' } },
        { event_type: 'search_index.documents.delete', event_metadata: { documents: '1' } },
        { event_type: 'search_index.summary.update', event_metadata: { language: 'en' } },
        { event_type: 'search_index.delete' },
      ]);
      expect(of(deployment).map(({ event_type }) => event_type)).toEqual([
        'rag_deployment.register',
        'rag_deployment.unregister',
      ]);
      expect(JSON.stringify(of(id))).not.toMatch(/audited-name|secret-document/);
    });

    it('documents are checked one by one against the schema, and a known id replaces', async () => {
      const index = await create('ingest', {
        schema: {
          document_fields: { year: { type: 'int', required: true } },
          chunk_fields: { part: { type: 'keyword' } },
        },
      });
      const good = { id: 'a', year: 2020, chunks: [chunk('apple pie', [1, 0, 0], { part: 'x' })] };
      const { results, ...counts } = await ingest(index, [
        good,
        { id: 'b', year: 'late', chunks: [], colour: 'red' },
        { id: 'c', year: 1, chunks: [{ content: 'no vector' }] },
      ]);
      expect(counts).toEqual({ accepted: 1, rejected: 2 });
      expect(results).toEqual([
        { status: 'accepted', position: 0, document_id: 'a', chunk_count: 1 },
        {
          status: 'rejected',
          position: 1,
          errors: [
            expect.objectContaining({ location: ['colour'], type: 'extra_forbidden' }),
            expect.objectContaining({ location: ['year'], type: 'int_type' }),
          ],
        },
        {
          status: 'rejected',
          position: 2,
          errors: [expect.objectContaining({ location: ['chunks', 0, 'embedding'] })],
        },
      ]);
      await ingest(index, [{ ...good, chunks: [chunk('cherry cake', [0, 1, 0])] }]);
      expect(await search(index, { type: 'keyword', query: 'apples' })).toEqual([]);
      const [hit] = await search(index, { type: 'keyword', query: 'cherries' });
      expect(hit).toMatchObject({
        index_name: 'ingest',
        distance: null,
        chunk: { id: 'a:0', source_id: 'a', content: 'cherry cake', chunk_type: 'content', year: 2020, metadata: {} },
      });
      expect(await send('DELETE', `${index}/documents`, { document_ids: ['a', 'zz'] })).toMatchObject({
        status: 200,
        body: { deleted_document_ids: ['a'], missing: ['zz'] },
      });
      expect(await search(index, { type: 'keyword', query: 'cherries' })).toEqual([]);
    });

    it('documents are listed by pages as they can be ingested, with the vectors that came with them', async () => {
      const schema = { document_fields: { year: { type: 'int' } }, chunk_fields: { place: { type: 'keyword' } } };
      const [index, copy] = [await create('listed', { schema }), await create('listed-copy', { schema })];
      const place = { start_offset: 0, end_offset: 4, chunk_type: 'content', locator: 'p. 1', place: 'sea' };
      const whole = {
        ...{ id: 'a', title: 'Tides', metadata: { team: 'blue' }, year: 2026 },
        chunks: [chunk('High', [1, 0, 0], { ...place, metadata: { by: 'hand' }, parent_ref: 'top' })],
      };
      const plain = { id: 'b', chunks: [chunk('Low', [0, 1, 0], { chunk_type: 'content' })] };
      await ingest(index, [whole, plain, { id: 'gone', chunks: [chunk('Gone', [0, 0, 1])] }]);
      await send('DELETE', `${index}/documents`, { document_ids: ['gone'] });
      const first = (await send('GET', `${index}/documents?page_size=1`)).body as { next_page_token: string };
      expect(first).toEqual({ data: [whole], next_page_token: expect.any(String) });
      const second = await send('GET', `${index}/documents?page_token=${first.next_page_token}`);
      expect(second.body).toEqual({ data: [plain], next_page_token: null });
      expect(await ingest(copy, [whole, plain])).toMatchObject({ accepted: 2 });
      expect((await send('GET', `${copy}/documents`)).body).toEqual({ data: [whole, plain], next_page_token: null });
      expect((await send('GET', `${copy}/documents?page_token=${first.next_page_token}`)).status).toBe(400);
    });

    it('words, vectors and both find chunks, and filters narrow them', async () => {
      const index = await create('search', { schema: { document_fields: { year: { type: 'int' } } } });
      await ingest(index, [
        { id: 'a', year: 2020, chunks: [chunk('red apples and pears', [1, 0, 0])] },
        { id: 'b', year: 2021, chunks: [chunk('green apples', [0, 1, 0])] },
        { id: 'c', year: 2022, chunks: [chunk('blue sky', [0.9, 0.1, 0])] },
      ]);
      const ids = async (retriever: unknown) =>
        (await search(index, retriever)).map(({ chunk: { source_id } }) => source_id);
      const nearest = { type: 'nearest_neighbour', query_embedding: [1, 0, 0] };
      const keyword = { type: 'keyword', query: 'apple pear' };
      expect(await ids(keyword)).toEqual(['a', 'b']);
      expect(await ids({ ...keyword, operator: 'and' })).toEqual(['a']);
      expect(await ids({ ...nearest, top_k: 2 })).toEqual(['a', 'c']);
      const [closest] = await search(index, nearest);
      expect(closest?.distance).toBeCloseTo(0, 2);
      expect(await ids({ type: 'rrf', retrievers: [keyword, nearest] })).toEqual(['a', 'b', 'c']);
      const filter = { type: 'range', field: 'year', gte: 2021 };
      expect(await ids({ ...nearest, filter })).toEqual(['c', 'b']);
      expect(await ids({ type: 'rrf', retrievers: [keyword, nearest], weights: [0, 1], filter, top_k: 1 })).toEqual([
        'c',
      ]);
    });

    it('a document can be read in parts, walked through, and searched for a phrase', async () => {
      const index = await create('reading');
      const parts = ['The first part.', 'The second  PART is here.', 'A third.'];
      const chunks = parts.map((text, i) =>
        chunk(text, [1, 0, 0], { start_offset: i * 100, end_offset: i * 100 + 99 }),
      );
      await ingest(index, [{ id: 'doc/1', chunks }]);
      const positions = async (path: string, body: Record<string, unknown>) => {
        const answer = await send('POST', `${index}/${path}`, { source_id: 'doc/1', ...body });
        expect(answer.status, answer.text).toBe(200);
        return (answer.body as { chunks: Chunk[] }).chunks.map(({ start_offset }) => start_offset / 100);
      };
      expect(await positions('read', {})).toEqual([0, 1, 2]);
      expect(await positions('read', { start_offset: 120, end_offset: 150 })).toEqual([1]);
      const here = { start_offset: 100, end_offset: 199 };
      expect(await positions('navigate', { ...here, direction: 'next' })).toEqual([2]);
      expect(await positions('navigate', { ...here, direction: 'previous', top_k: 5 })).toEqual([0]);
      expect(await positions('grep', { pattern: 'second part' })).toEqual([1]);
      expect(await positions('grep', { pattern: 'part THE', mode: 'term' })).toEqual([0, 1]);
      const one = await send('GET', `${index}/chunks/${encodeURIComponent('doc/1:2')}`);
      expect(one).toMatchObject({ status: 200, body: { chunks: [{ id: 'doc/1:2', content: 'A third.' }] } });
    });

    it.runIf(isSqliteOrFull(database))(
      'a summary is written by hand, or by a model as lines of JSON, and kept',
      async () => {
        const index = await create('summaries');
        const summary = { content: 'Par nous.', status: 'handwritten', translated: false };
        expect((await send('GET', `${index}/summary_field/fr`)).status).toBe(404);
        expect((await send('PUT', `${index}/summary_field/fr`, summary)).status).toBe(200);
        const stored = await send('POST', `${index}/summary_field/fr`);
        expect(stored.headers.get('content-type')).toBe('application/x-ndjson');
        const lines = (text: string) =>
          text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line));
        expect(lines(stored.text)).toEqual([{ status: 'handwritten', translated: false }, { content: 'Par nous.' }]);
        const written = lines((await send('POST', `${index}/summary_field/fr?force=true`)).text);
        expect(written[0]).toEqual({ status: 'generated', translated: false });
        expect((await send('GET', `${index}/summary_field/fr`)).body).toEqual({
          content: written
            .slice(1)
            .map(({ content }) => content)
            .join(''),
          status: 'generated',
          translated: false,
        });
      },
    );

    it('deployments and pipelines are registered by name, report what they hold, and are forgotten', async () => {
      const { id } = (await send('PUT', DEPLOYMENTS, vespa)).body as { id: string };
      expect((await send('PUT', DEPLOYMENTS, { ...vespa, status: 'online' })).body).toEqual({ id });
      const online = { status: 'online', document_count: 7, index_metrics: [{ name: 'docs', document_count: 7 }] };
      expect((await send('PUT', `${DEPLOYMENTS}/${id}/metrics`, online)).status).toBe(200);
      expect((await send('GET', DEPLOYMENTS)).body).toMatchObject({
        deployments: [
          {
            id,
            status: 'online',
            document_count: 7,
            deployment: { type: 'vespa', indexes: [{ name: 'docs', document_count: 7 }] },
          },
        ],
      });
      await send('PUT', `${DEPLOYMENTS}/${id}/metrics`, { status: 'offline', clear_metrics: true });
      expect((await send('GET', DEPLOYMENTS)).body).toMatchObject({
        deployments: [{ status: 'offline', document_count: 0 }],
      });
      expect((await send('DELETE', `${DEPLOYMENTS}/${id}`)).status).toBe(200);
      expect((await send('GET', DEPLOYMENTS)).body).toEqual({ deployments: [] });

      const pipeline = (await send('PUT', PIPELINES, { name: 'nightly', pipeline_composition: { load: 's3' } })).body;
      expect(pipeline).toMatchObject({ name: 'nightly', last_run_time: null, total_chunks_count: 0 });
      const at = `${PIPELINES}/${(pipeline as { id: string }).id}/run_info`;
      const run = { execution_time: '2026-09-01T00:00:00Z', chunks_count: 5 };
      await send('PUT', at, run);
      expect((await send('PUT', at, run)).body).toMatchObject({ last_run_chunks_count: 5, total_chunks_count: 10 });
      expect((await send('GET', PIPELINES)).body).toMatchObject([
        { name: 'nightly', last_run_time: run.execution_time },
      ]);
    });

    it('registrations and reports that come at once all count, and nothing comes back that was deleted', async () => {
      const many = <T>(count: number, one: (at: number) => Promise<T>) =>
        Promise.all(Array.from({ length: count }, (_, at) => one(at)));
      const idsOf = (answers: { status: number; body: unknown }[]) => {
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
        return new Set(answers.map(({ body }) => (body as { id: string }).id));
      };
      const [pipeline, ...others] = idsOf(await many(8, () => send('PUT', PIPELINES, { name: 'at-once' })));
      expect(others).toEqual([]);
      const run = { execution_time: '2026-01-01T00:00:00Z', chunks_count: 3 };
      await many(12, () => send('PUT', `${PIPELINES}/${pipeline}/run_info`, run));
      const pipelines = (await send('GET', PIPELINES)).body as { id: string }[];
      expect(pipelines.find(({ id }) => id === pipeline)).toMatchObject({ total_chunks_count: 36 });

      const metrics = { status: 'online', document_count: 1, index_metrics: [] };
      for (let round = 0; round < 10; round++) {
        const [deployment] = idsOf(await many(4, () => send('PUT', DEPLOYMENTS, { ...vespa, name: 'at-once' })));
        const address = `${DEPLOYMENTS}/${deployment}`;
        const answers = await many(8, (at) =>
          at === 3 ? send('DELETE', address) : send('PUT', `${address}/metrics`, metrics),
        );
        for (const { status } of answers) expect([200, 404]).toContain(status);
        expect((await send('DELETE', address)).status).toBe(404);
      }
    });
  });

  describe.runIf(isSqliteOrFull(database))('refusals', () => {
    const everyCall: [method: string, path: string, body?: unknown][] = [
      ['GET', '/ours/documents'],
      ['GET', '/ours'],
      ['PUT', '/ours', { schema: {} }],
      ['DELETE', '/ours'],
      ['POST', '/ours/documents', { documents: [{ id: 'a', chunks: [] }] }],
      ['DELETE', '/ours/documents', { document_ids: ['a'] }],
      ['POST', '/ours/search', { retriever: { type: 'keyword', query: 'x' } }],
      ['POST', '/ours/navigate', { source_id: 'a', start_offset: 0, end_offset: 1, direction: 'next' }],
      ['POST', '/ours/read', { source_id: 'a' }],
      ['POST', '/ours/grep', { source_id: 'a', pattern: 'x' }],
      ['GET', '/ours/chunks/a:0'],
      ['GET', '/ours/summary_field/en'],
      ['PUT', '/ours/summary_field/en', { content: '', status: 'handwritten', translated: false }],
      ['POST', '/ours/summary_field/en'],
    ];
    beforeAll(async () => {
      const index = await create('ours');
      await ingest(index, [{ id: 'a', chunks: [chunk('x', [1, 0, 0])] }]);
    });

    it.runIf(isSqliteOrFull(database))('no call works without a key (401)', async () => {
      for (const [method, path, body] of everyCall)
        expect([path, (await send(method, ALL + path, body, 'none')).status]).toEqual([path, 401]);
      expect((await send('GET', DEPLOYMENTS, undefined, 'none')).status).toBe(401);
    });

    it.runIf(isSqliteOrFull(database))(
      'the index of another workspace is answered as one that is not there (404)',
      async () => {
        for (const [method, path, body] of everyCall) {
          const theirs = await send(method, ALL + path, body, stranger);
          expect([method, path, theirs.status]).toEqual([method, path, 404]);
        }
        expect((await send('GET', ALL, undefined, stranger)).body).toMatchObject({ data: [] });
        expect((await send('DELETE', `${DEPLOYMENTS}/${MISSING_ID}`)).status).toBe(404);
        const run = { execution_time: '2026-09-01T00:00:00Z', chunks_count: 5 };
        expect((await send('PUT', `${PIPELINES}/${MISSING_ID}/run_info`, run)).status).toBe(404);
        expect((await send('GET', `${ALL}/ours`)).status).toBe(200);
      },
    );

    it.runIf(isSqliteOrFull(database))('a property that no schema knows is 422', async () => {
      for (const [method, path, body] of everyCall.filter(([, , body]) => body !== undefined))
        expect([path, (await send(method, ALL + path, { ...(body as object), odd: 1 })).status]).toEqual([path, 422]);
      expect((await send('PUT', DEPLOYMENTS, { ...vespa, odd: 1 })).status).toBe(422);
      expect((await send('PUT', PIPELINES, { name: 'x', odd: 1 })).status).toBe(422);
    });

    it('what cannot be done is refused with a reason (400, 404, 409)', async () => {
      const search = (retriever: unknown) => send('POST', `${ALL}/ours/search`, { retriever });
      expect(await send('POST', ALL, { name: 'ours', config: custom })).toMatchObject({ status: 409 });
      const mistral = { embedding: { type: 'mistral', name: 'no-such-model', dimensions: 4 } };
      expect((await send('POST', ALL, { name: 'x', config: mistral })).status).toBe(400);
      expect((await search({ type: 'nearest_neighbour', query: 'x' })).body).toMatchObject({
        code: 'query_vector_needed',
      });
      const short = { type: 'nearest_neighbour', query_embedding: [1, 2] };
      expect((await search(short)).body).toMatchObject({ code: 'vector_length_differs' });
      expect((await search({ type: 'keyword', query: 'x', field: 'y' })).body).toMatchObject({
        code: 'field_not_searchable',
      });
      expect((await send('POST', `${ALL}/ours/read`, { source_id: 'nope' })).status).toBe(404);
      expect((await send('GET', `${ALL}/ours/chunks/a:9`)).status).toBe(404);
    });
  });

  it.runIf(isSqliteOrFull(database))(
    'a workspace registers a hundred deployments and pipelines of bounded size, and no more',
    async () => {
      const sd = 'x'.repeat(100_000);
      const big = (count: number) => ({
        ...vespa,
        name: 'large',
        deployment: {
          ...vespa.deployment,
          indexes: Array.from({ length: count }, (_, n) => ({ name: `i${n}`, fields: [], sd })),
        },
      });
      expect((await send('PUT', DEPLOYMENTS, big(9))).status).toBe(200);
      expect((await send('PUT', DEPLOYMENTS, big(11))).status).toBe(413);
      const composition = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, 'x'.repeat(9000)]));
      expect((await send('PUT', PIPELINES, { name: 'p', pipeline_composition: composition(8) })).status).toBe(413);
      for (const [path, more] of [
        [DEPLOYMENTS, { deployment: vespa.deployment }],
        [PIPELINES, {}],
      ] as const) {
        const listed = async () => (await send('GET', path)).body as { deployments?: unknown[] } & unknown[];
        const known = await listed();
        const room = 100 - (known.deployments ?? known).length;
        for (let n = 0; n < room; n++) expect((await send('PUT', path, { name: `n${n}`, ...more })).status).toBe(200);
        expect(await send('PUT', path, { name: 'one more', ...more })).toMatchObject({ status: 409 });
        expect((await send('PUT', path, { name: 'n0', ...more })).status).toBe(200);
        const all = await listed();
        expect((all.deployments ?? all).length).toBe(100);
      }
    },
  );
});
