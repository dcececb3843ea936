import { randomUUID } from 'node:crypto';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { createTasks } from '../kit/tasks/index.ts';
import { addRecord, DATASETS, importInto, makeDataset, recordsOf, whenEnded } from './datasets-for-tests.ts';
import { IMPORT_QUEUE } from './import/import-task.ts';
import type { Dataset, DatasetRecord, ListDatasetsResponse } from './schema.ts';
import { insertImport } from './store/imports.ts';

const RECORDS = '/v1/observability/dataset-records';
const NOBODY = '00000000-0000-4000-8000-000000000000';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const judge_definition = {
  name: 'Politeness',
  description: '',
  model_name: 'small',
  output: { type: 'REGRESSION', min_description: 'rude', max_description: 'polite' },
  instructions: 'Judge it.',
  tools: [],
};

onEachDatabase(DATASETS, (database) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  let stranger: string;
  let viewer: string;
  let dataset: Dataset;
  let record: DatasetRecord;

  beforeAll(async () => {
    upstream = await startUpstream();
    server = await startTestServer(database, {
      file: { models: [{ id: 'small', engine: 'upstream', url: upstream.url, kind: 'chat' }] },
    });
    stranger = await addStranger(server);
    viewer = await addColleague(server, 'observability_viewer');
    dataset = await makeDataset(server, 'Kept for all tests');
    record = await addRecord(server, dataset, { messages: [{ role: 'user', content: 'Hi' }] }, { team: 'blue' });
  });

  async function upload(content: string, key = server.key): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([content]), 'records.jsonl');
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${server.url}/v1/files`, { method: 'POST', headers, body: form });
    return ((await response.json()) as { id: string }).id;
  }

  describe('200', () => {
    it('datasets of the same name that are created at once have slugs of their own', async () => {
      const body = { name: 'At once', description: 'd' };
      const made = await Promise.all(Array.from({ length: 16 }, () => call(server, DATASETS, { body })));
      expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
      expect(new Set(made.map(({ body: dataset }) => (dataset as { slug: string }).slug)).size).toBe(16);
    });

    it('a dataset is created, found by id and slug, searched, renamed and deleted with its records', async () => {
      const first = await makeDataset(server, 'Größte Fragen');
      const second = await makeDataset(server, 'Größte Fragen');
      expect([first.slug, second.slug]).toEqual(
        ['großte-fragen', 'großte-fragen-2'].map((slug) => slug.replace('ß', '-')),
      );
      expect((await call(server, `${DATASETS}/${second.slug}`)).body).toEqual(second);
      const path = `${DATASETS}/${first.id}`;
      const renamed = await call(server, path, { method: 'PATCH', body: { name: 'Renamed', description: null } });
      expect(renamed).toMatchObject({
        status: 200,
        body: { name: 'Renamed', slug: first.slug, description: first.description },
      });
      const found = async (query: string) =>
        ((await call(server, `${DATASETS}?${query}`)).body as ListDatasetsResponse).datasets;
      expect(await found('q=RENAM')).toMatchObject({ count: 1, results: [{ id: first.id }] });
      expect(await found('q=größte&page_size=1')).toMatchObject({ count: 1, next: null });
      const one = await addRecord(server, first, { a: 1 });
      expect((await call(server, path, { method: 'DELETE' })).status).toBe(204);
      expect((await call(server, path)).status).toBe(404);
      expect((await call(server, `${RECORDS}/${one.id}`)).status).toBe(404);
      const { db } = server.platform.database;
      await vi.waitFor(
        async () =>
          expect(
            await db.selectFrom('dataset_records').where('dataset_id', '=', first.id).selectAll().execute(),
          ).toEqual([]),
        { timeout: 20_000 },
      );
    });

    it('records keep what was sent, in order, page by page', async () => {
      const odd = await makeDataset(server, 'Odd records');
      const payload = {
        z: 1,
        a: ['\u0000', '\ud800', { '__proto__ ': null }],
        messages: [{ role: 'user', content: '日本' }],
      };
      const first = await addRecord(server, odd, payload);
      expect(first).toMatchObject({ payload, properties: {}, source: 'DIRECT_INPUT', dataset_id: odd.id });
      for (const n of [2, 3]) await addRecord(server, odd, { n });
      const page = await recordsOf(server, odd, '?page_size=2');
      expect(page).toMatchObject({ count: 3, previous: null, results: [{ payload }, { payload: { n: 2 } }] });
      const next = (await call(server, page.next as string)).body as { records: typeof page };
      expect(next.records).toMatchObject({ count: 3, next: null, results: [{ payload: { n: 3 } }] });
      expect((await call(server, `${RECORDS}/${first.id}`)).body).toEqual(first);
      const put = (field: string, body: object) =>
        call(server, `${RECORDS}/${first.id}/${field}`, { method: 'PUT', body });
      expect((await put('payload', { payload: { new: true } })).status).toBe(204);
      expect((await put('properties', { properties: { team: 'red' } })).status).toBe(204);
      const changed = (await call(server, `${RECORDS}/${first.id}`)).body;
      expect(changed).toMatchObject({ payload: { new: true }, properties: { team: 'red' } });
      expect((await call(server, `${RECORDS}/${first.id}`, { method: 'DELETE' })).status).toBe(204);
      const ids = (await recordsOf(server, odd)).results.map(({ id }) => id);
      expect(ids).toHaveLength(2);
      const bulk = { dataset_record_ids: [...ids, NOBODY, record.id].slice(0, 3) };
      expect((await call(server, `${RECORDS}/bulk-delete`, { body: bulk })).status).toBe(204);
      expect(await recordsOf(server, odd)).toMatchObject({ count: 0, results: [] });
    });

    it('an export is downloaded without a key, and an import of it makes the same records', async () => {
      const from = await makeDataset(server, 'To be exported');
      await addRecord(server, from, { text: 'a\nb' }, { n: 1 });
      await addRecord(server, from, { text: 'c' });
      const { body } = await call(server, `${DATASETS}/${from.slug}/exports/to-jsonl`);
      const { file_url } = body as { file_url: string };
      const response = await fetch(file_url);
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="to-be-exported.jsonl"');
      const text = await response.text();
      expect(text.trim().split('\n')).toHaveLength(2);
      expect((await fetch(file_url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))).status).toBe(403);
      expect((await fetch(file_url.replace(from.id, dataset.id))).status).toBe(403);
      const into = await makeDataset(server, 'Imported again');
      const task = await importInto(server, into, 'file', { file_id: await upload(text) });
      expect(task).toMatchObject({
        status: 'COMPLETED',
        progress: 100,
        message: null,
        result: { requested_record_count: 2, imported_record_count: 2, skipped_record_count: 0 },
      });
      expect((await recordsOf(server, into)).results).toMatchObject([
        { payload: { text: 'a\nb' }, properties: { n: 1 }, source: 'UPLOADED_FILE' },
        { payload: { text: 'c' }, properties: {} },
      ]);
    });

    it('an import from a file takes plain objects, and skips and names what it cannot read', async () => {
      const into = await makeDataset(server, 'Mixed lines');
      const lines = ['{"messages":[]}', '', 'nonsense', '[1]', '{"payload":{"a":1},"properties":3}', '{"b":2}'];
      const task = await importInto(server, into, 'file', { file_id: await upload(lines.join('\n')) });
      expect(task).toMatchObject({
        status: 'COMPLETED',
        message: '3 of 5 were skipped. The first: Record 2 of the file is not valid JSON.',
        result: { requested_record_count: 5, imported_record_count: 2, skipped_record_count: 3 },
      });
      expect((await recordsOf(server, into)).results.map(({ payload }) => payload)).toEqual([
        { messages: [] },
        { b: 2 },
      ]);
      const tasks = (await call(server, `${DATASETS}/${into.id}/tasks`)).body;
      expect(tasks).toMatchObject({ tasks: { count: 1, results: [{ id: task.id, status: 'COMPLETED' }] } });
    });

    it('records are copied from other datasets, and conversations become records', async () => {
      const into = await makeDataset(server, 'From elsewhere');
      const copied = await importInto(server, into, 'dataset', { dataset_record_ids: [record.id, NOBODY] });
      expect(copied).toMatchObject({
        status: 'COMPLETED',
        result: { imported_record_count: 1, skipped_record_count: 1 },
      });
      upstream.answerWith((_call, response) => json(response, 200, completion('Good day')));
      const { body } = await call(server, '/v1/conversations', {
        body: { model: 'small', inputs: 'Hello', instructions: 'Be kind' },
      });
      const { conversation_id } = body as { conversation_id: string };
      const talked = await importInto(server, into, 'playground', { conversation_ids: [conversation_id, 'conv_none'] });
      expect(talked.result).toMatchObject({ imported_record_count: 1, skipped_record_count: 1 });
      expect((await recordsOf(server, into)).results).toMatchObject([
        { payload: record.payload, properties: record.properties },
        {
          payload: {
            messages: [
              { role: 'system', content: 'Be kind' },
              { role: 'user', content: 'Hello' },
              { role: 'assistant', content: 'Good day' },
            ],
          },
          properties: { conversation_id },
          source: 'PLAYGROUND',
        },
      ]);
    });

    it('spans become records by a mapping, which tell what is missing', async () => {
      const headers = { traceparent: `00-${TRACE}-${SPAN}-01` };
      upstream.answerWith((_call, response) => json(response, 200, completion('Yes')));
      await call(server, '/v1/chat/completions', {
        body: { model: 'small', messages: [{ role: 'user', content: 'Hi' }] },
        headers,
      });
      const { span_id } = await vi.waitFor(
        async () => {
          const answer = await call(server, `/v1/observability/traces/${TRACE}/spans`);
          expect(answer.status).toBe(200);
          return (answer.body as { spans: { results: { span_id: string }[] } }).spans.results[0] as { span_id: string };
        },
        { timeout: 20_000 },
      );
      const into = await makeDataset(server, 'From spans');
      const mapping = (target_field: string, key: string) => ({
        target_field,
        source_field: { namespace: 'span_attributes', key },
      });
      const mappings = [mapping('messages', 'gen_ai.input.messages'), mapping('model', 'gen_ai.request.model')];
      const task = await importInto(server, into, 'spans', {
        span_references: [
          { trace_id: TRACE, span_id },
          { trace_id: TRACE, span_id: SPAN },
        ],
        mapping_contract: { mappings, version: 1 },
      });
      expect(task).toMatchObject({
        status: 'COMPLETED',
        result: { imported_record_count: 1, skipped_record_count: 1 },
      });
      expect((await recordsOf(server, into)).results).toMatchObject([
        {
          payload: { model: 'small' },
          properties: { trace_id: TRACE, span_id, missing_fields: ['messages'] },
          source: 'TELEMETRY_SPAN',
        },
      ]);
      const twice = { mappings: [mappings[0], mappings[0]] };
      const refused = await call(server, `${DATASETS}/${into.id}/imports/from-spans`, {
        body: { span_references: [{ trace_id: TRACE, span_id }], mapping_contract: twice },
      });
      expect(refused.status).toBe(422);
    });

    it.runIf(isSqliteOrFull(database))('a record is judged, and an answer out of range is a 502', async () => {
      const judge = () => call(server, `${RECORDS}/${record.id}/live-judging`, { body: { judge_definition } });
      upstream.calls.splice(0);
      upstream.answerWith((_call, response) => json(response, 200, completion('{"analysis":"Fine","answer":1}')));
      expect(await judge()).toMatchObject({ status: 200, body: { analysis: 'Fine', answer: 1 } });
      const [, user] = (upstream.calls[0]?.body.messages ?? []) as { content: string }[];
      expect(user?.content).toContain('"Hi"');
      expect(user?.content).toContain('blue');
      upstream.answerWith((_call, response) => json(response, 200, completion('{"analysis":"Fine","answer":2}')));
      expect((await judge()).status).toBe(502);
    });

    it.runIf(isSqliteOrFull(database))('the official SDK fills and reads a dataset', async () => {
      const { datasets } = new Mistral({ apiKey: server.key, serverURL: server.url }).beta.observability;
      const made = await datasets.create({ name: 'By the SDK', description: '' });
      await datasets.createRecord({
        datasetId: made.id,
        createDatasetRecordRequest: { payload: { messages: [] } },
      });
      const { records } = await datasets.listRecords({ datasetId: made.id });
      expect(records.results).toMatchObject([{ payload: { messages: [] }, source: 'DIRECT_INPUT' }]);
      expect((await datasets.exportToJsonl({ datasetId: made.id })).fileUrl).toContain('/exports/download?');
      await datasets.delete({ datasetId: made.id });
    });
  });

  describe('an import', () => {
    /** As a server leaves it that died after two records of the file. */
    async function leaveHalfDone(into: Dataset, user_id: string): Promise<{ dataset_id: string; id: string }> {
      const { id: dataset_id, workspace_id, created_at } = into;
      const file_id = await upload(Array.from({ length: 250 }, (_, n) => JSON.stringify({ n })).join('\n'));
      const row = {
        ...{ id: randomUUID(), workspace_id, dataset_id, creator_id: user_id, kind: 'file' as const },
        request: JSON.stringify({ file_id }),
        ...{ status: 'RUNNING' as const, progress: 0, message: null },
        ...{ taken_count: 2, imported_count: 2, skipped_count: 0, created_at, updated_at: created_at },
      };
      const caller = { key_id: null, user_id, workspace_id };
      const { database: opened } = server.platform;
      await opened.transaction(async (tx) => {
        await insertImport(tx, row);
        const payload = { import_id: row.id, dataset_id, caller };
        await createTasks({ database: opened, now: Date.now }).enqueue(tx, { queue: IMPORT_QUEUE, payload });
      });
      return row;
    }

    it('that was interrupted goes on where it was, and imports nothing twice', async () => {
      const into = await makeDataset(server, 'Half of it');
      const task = await whenEnded(server, await leaveHalfDone(into, into.owner_id));
      expect(task).toMatchObject({
        status: 'COMPLETED',
        result: { requested_record_count: 250, imported_record_count: 250 },
      });
      const { count, results } = await recordsOf(server, into, '?page_size=100');
      expect(count).toBe(248);
      expect(results.map(({ payload }) => payload.n)).toEqual(Array.from({ length: 100 }, (_, n) => n + 2));
    });

    it('fails with the reason when its caller may not do it any more', async () => {
      const into = await makeDataset(server, 'Of nobody');
      const task = await whenEnded(server, await leaveHalfDone(into, NOBODY));
      expect(task).toMatchObject({ status: 'FAILED', message: expect.stringMatching(/^This ended because/) });
      expect((await recordsOf(server, into)).count).toBe(0);
    });
  });

  const operations = (id: string, recordId: string): [method: string, path: string, body?: object][] => [
    ['GET', `${DATASETS}/${id}`],
    ['PATCH', `${DATASETS}/${id}`, {}],
    ['DELETE', `${DATASETS}/${id}`],
    ['GET', `${DATASETS}/${id}/records`],
    ['POST', `${DATASETS}/${id}/records`, { payload: {} }],
    ['GET', `${DATASETS}/${id}/tasks`],
    ['GET', `${DATASETS}/${id}/exports/to-jsonl`],
    ['POST', `${DATASETS}/${id}/imports/from-file`, { file_id: NOBODY }],
    ['POST', `${DATASETS}/${id}/imports/from-dataset`, { dataset_record_ids: [NOBODY] }],
    ['POST', `${DATASETS}/${id}/imports/from-playground`, { conversation_ids: ['conv_x'] }],
    ['GET', `${RECORDS}/${recordId}`],
    ['DELETE', `${RECORDS}/${recordId}`],
    ['PUT', `${RECORDS}/${recordId}/payload`, { payload: {} }],
    ['PUT', `${RECORDS}/${recordId}/properties`, { properties: {} }],
    ['POST', `${RECORDS}/${recordId}/live-judging`, { judge_definition }],
  ];

  it.runIf(isSqliteOrFull(database))('401: nothing works without a key', async () => {
    for (const [method, path, body] of operations(dataset.id, record.id))
      expect((await call(server, path, { method, body, key: '' })).status, path).toBe(401);
  });

  it.runIf(isSqliteOrFull(database))('403: a viewer only reads', async () => {
    for (const [method, path, body] of operations(dataset.id, record.id))
      expect((await call(server, path, { method, body, key: viewer })).status, path).toBe(method === 'GET' ? 200 : 403);
  });

  it.runIf(isSqliteOrFull(database))('404: datasets and records of another workspace look missing', async () => {
    for (const [at, [method, path, body]] of operations(dataset.id, record.id).entries()) {
      const none = operations(NOBODY, NOBODY)[at]?.[1] ?? '';
      const missing = await call(server, none, { method, body, key: stranger });
      const foreign = await call(server, path, { method, body, key: stranger });
      expect(foreign.status, path).toBe(404);
      expect(foreign.text.replaceAll(/'[0-9a-f-]{36}'/g, '')).toBe(missing.text.replaceAll(/'[0-9a-f-]{36}'/g, ''));
    }
    expect((await call(server, `${DATASETS}/${dataset.slug}`, { key: stranger })).status).toBe(404);
    const bulk = { dataset_record_ids: [record.id] };
    expect((await call(server, `${RECORDS}/bulk-delete`, { body: bulk, key: stranger })).status).toBe(204);
    expect((await call(server, `${RECORDS}/${record.id}`)).status).toBe(200);
    const into = await makeDataset(server, 'Of a stranger', { key: stranger });
    const path = `${DATASETS}/${into.id}/imports/from-file`;
    expect((await call(server, path, { key: stranger, body: { file_id: await upload('{}') } })).status).toBe(404);
  });

  it.runIf(isSqliteOrFull(database))('413 and 422: what is too large or unknown is refused', async () => {
    const large = { payload: { text: 'é'.repeat(600_000) } };
    expect((await call(server, `${DATASETS}/${dataset.id}/records`, { body: large })).status).toBe(413);
    for (const [method, path, body] of operations(dataset.id, record.id))
      if (body) expect((await call(server, path, { method, body: { ...body, surprise: 1 } })).status, path).toBe(422);
    expect((await call(server, DATASETS, { body: { name: 'four', description: '' } })).status).toBe(422);
    expect((await call(server, `${RECORDS}/bulk-delete`, { body: { dataset_record_ids: [] } })).status).toBe(422);
    expect((await call(server, `${DATASETS}/${dataset.id}/records?page_size=101`)).status).toBe(422);
  });
});
