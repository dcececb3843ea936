import { beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase, onSqliteFirst } from '../../test/support/databases.ts';
import { startFakeMcp } from '../../test/support/mcp-server.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { type Conversing, MODEL, startConversing } from '../conversations/conversations-for-tests.ts';
import type { ContentSettings } from './schema/contents.ts';
import type { Feed, GetLog, GetSpan } from './schema/wire.ts';
import { createContentService } from './service/content-service.ts';

const SETTINGS = '/v1/observability/contents';
const CHAT = '/v1/chat/completions';
const traceOf = (requestId: string | null) => (requestId ?? '').replaceAll('-', '');
const said = (content: string) => ({ role: 'user', parts: [{ type: 'text', content }] });

onEachDatabase('contents of spans', (database) => {
  let conversing: Conversing;
  let server: TestServer;
  let [stranger, viewer, chatter]: string[] = [];

  beforeAll(async () => {
    const wiki = await startFakeMcp([{ name: 'echo', description: 'Say it again' }]);
    conversing = await startConversing(database, {
      connectors: [{ id: 'wiki', url: wiki.url }],
      traces: { contents: { max_kib: 1, redact: [{ pattern: '\\b\\d{4}-\\d{4}\\b', replacement: '[number]' }] } },
    });
    server = conversing.server;
    stranger = await addStranger(server);
    viewer = await addColleague(server, 'observability_viewer');
    chatter = await addColleague(server, 'user');
  });

  async function spansOf(traceId: string, count = 1): Promise<GetSpan[]> {
    const path = `/v1/observability/traces/${traceId}/spans`;
    return vi.waitFor(
      async () => {
        const { body } = await call(server, path);
        const { results } = (body as { spans: Feed<GetSpan> }).spans;
        expect(results.length).toBeGreaterThanOrEqual(count);
        return results;
      },
      { timeout: 20_000 },
    );
  }
  const set = (body: object, key = server.key) => call(server, SETTINGS, { method: 'PUT', body, key });
  const chat = (content: string, more: object = {}, path = CHAT) =>
    call(server, path, { body: { model: MODEL, messages: [{ role: 'user', content }], ...more } });
  const contentsIn = async (table: 'span_contents' | 'spans' | 'logs') =>
    JSON.stringify(await server.platform.database.db.selectFrom(table).selectAll().execute());

  it('are not kept until an administrator of the workspace says so, and that is in the audit log', async () => {
    const before = (await call(server, SETTINGS)).body as ContentSettings;
    expect(before).toMatchObject({ enabled: false, allowed: true, sample_rate: 1, redaction_rules: 1 });
    const [span] = await spansOf(traceOf((await chat('clarinet')).headers.get('x-request-id')));
    expect(span).toMatchObject({ input_messages: '', output_messages: '' });
    expect((await set({ enabled: true }, viewer)).status).toBe(403);
    expect((await set({ enabled: true }, chatter)).status).toBe(403);
    expect((await call(server, SETTINGS, { key: chatter })).status).toBe(403);
    expect((await call(server, SETTINGS, { method: 'DELETE', key: viewer })).status).toBe(403);
    expect((await set({ enabled: true, unknown: 1 })).status).toBe(422);
    expect((await set({ enabled: true, sample_rate: 2 })).status).toBe(422);
    expect((await set({ enabled: true, retention_days: 3000 })).body).toMatchObject({
      ...{ enabled: true, retention_days: 30, max_characters: 1024, updated_by: expect.any(String) },
    });
    expect((await call(server, SETTINGS, { key: stranger })).body).toMatchObject({ enabled: false });
    const rows = await server.platform.database.db.selectFrom('audit_logs').selectAll().execute();
    expect(JSON.stringify(rows)).toContain('"contents":"kept"');
  });

  it.runIf(isSqliteOrFull(database))('are the input and the output, redacted and within bounds', async () => {
    await set({ enabled: true });
    const answer = await chat('My number is 1234-5678.', {
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'My number is 1234-5678.' },
      ],
    });
    const [span] = await spansOf(traceOf(answer.headers.get('x-request-id')));
    expect(JSON.parse(span?.input_messages ?? '')).toEqual([said('My number is [number].')]);
    expect(JSON.parse(span?.system_instructions ?? '')).toEqual([{ type: 'text', content: 'Be kind.' }]);
    expect(JSON.parse(span?.output_messages ?? '')).toMatchObject([{ role: 'assistant', finish_reason: 'stop' }]);
    expect(span?.response_id).toBe((answer.body as { id: string }).id);
    expect(await contentsIn('span_contents')).not.toContain('1234-5678');

    const long = [1, 2, 3].map((n) => ({ role: n === 2 ? 'assistant' : 'user', content: `${n}${'x'.repeat(600)}` }));
    const cut = await chat('', { messages: long });
    const [longer] = await spansOf(traceOf(cut.headers.get('x-request-id')));
    expect(JSON.parse(longer?.input_messages ?? '')).toEqual([
      { role: 'system', parts: [{ type: 'omitted', messages: 2 }] },
      said(long[2]?.content ?? ''),
    ]);
  });

  it.runIf(isSqliteOrFull(database))('of a stream are what it said in all', async () => {
    conversing.says({ words: ['One ', 'two.'] });
    const answer = await chat('Count', { stream: true });
    expect(answer.text).toContain('[DONE]');
    const [span] = await spansOf(traceOf(answer.headers.get('x-request-id')));
    expect(JSON.parse(span?.output_messages ?? '')).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'One two.' }], finish_reason: 'stop' },
    ]);
  });

  it.runIf(isSqliteOrFull(database))('are never kept of requests that say store: false', async () => {
    const unstored = await chat('bassoon', { store: false }, '/openai/v1/chat/completions');
    expect(unstored.status).toBe(200);
    const streamed = await chat('bassoon', { store: false, stream: true }, '/openai/v1/chat/completions');
    const inputs = { model: MODEL, inputs: 'bassoon', store: false };
    const conversation = await call(server, '/v1/conversations', { body: inputs });
    const body = { model: MODEL, input: 'bassoon', store: false };
    const answers = [unstored, streamed, conversation];
    for (const path of ['/v1/responses', '/openai/v1/responses']) answers.push(await call(server, path, { body }));
    for (const { status, headers, text } of answers) {
      expect(status, text).toBe(200);
      await spansOf(traceOf(headers.get('x-request-id')));
    }
    expect(await contentsIn('span_contents')).not.toContain('bassoon');
  });

  it('of a conversation are in a trace of its turns and tools, and go with it', async () => {
    conversing.says(
      { calls: [{ name: 'echo', arguments: { text: 'tuba 9999-0000' }, id: 'abcdefgh1' }] },
      { words: ['Done.'] },
    );
    const body = { model: MODEL, inputs: 'Play the tuba', tools: [{ type: 'connector', connector_id: 'wiki' }] };
    const traceparent = '00-11111111111111111111111111111111-2222222222222222-01';
    const answer = await call(server, '/v1/conversations', { body, headers: { traceparent } });
    const { conversation_id } = answer.body as { conversation_id: string };
    const spans = await spansOf('1'.repeat(32), 4);
    const run = spans.find(({ operation_name }) => operation_name === 'invoke_agent');
    expect(run).toMatchObject({ parent_span_id: '2'.repeat(16), conversation_id, status_code: 'Unset' });
    const within = spans.filter((span) => span !== run);
    expect(within.map(({ operation_name }) => operation_name).toSorted()).toEqual(['chat', 'chat', 'execute_tool']);
    expect(within.map(({ parent_span_id }) => parent_span_id)).toEqual(Array(3).fill(run?.span_id));
    const tool = within.find(({ operation_name }) => operation_name === 'execute_tool');
    expect(tool).toMatchObject({ tool_name: 'echo', tool_type: 'extension', tool_call_id: 'abcdefgh1' });
    expect(tool?.tool_call_arguments).toContain('tuba [number]');
    const trace = await call(server, `/v1/observability/traces/${'1'.repeat(32)}`);
    expect(trace.body).toMatchObject({ root_span_id: run?.span_id, tools_used: ['echo'], llm_call_count: 2 });

    expect(await contentsIn('span_contents')).toContain('tuba');
    expect((await call(server, `/v1/conversations/${conversation_id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await contentsIn('span_contents')).not.toContain('tuba');
    expect(await spansOf('1'.repeat(32), 4)).toHaveLength(4);
  });

  it.runIf(isSqliteOrFull(database))(
    'are kept of a share of the requests, and of none once it is switched off',
    async () => {
      await set({ enabled: true, sample_rate: 0 });
      const none = await chat('oboe');
      await set({ enabled: false });
      const off = await chat('oboe');
      for (const { headers } of [none, off]) await spansOf(traceOf(headers.get('x-request-id')));
      expect(await contentsIn('span_contents')).not.toContain('oboe');
    },
  );

  it('are deleted on request, those of the workspace and no others', async () => {
    await set({ enabled: true });
    const { headers } = await chat('viola');
    const [span] = await spansOf(traceOf(headers.get('x-request-id')));
    expect((await call(server, SETTINGS, { method: 'DELETE', key: stranger })).status).toBe(204);
    const ofUser = (id: string) => call(server, `${SETTINGS}?user_id=${id}`, { method: 'DELETE' });
    expect((await ofUser('0198c0de-0000-7000-8000-000000000009')).status).toBe(204);
    expect((await ofUser('nobody')).status).toBe(422);
    expect(await contentsIn('span_contents')).toContain('viola');
    expect(await contentsIn('spans')).not.toContain('viola');
    expect(await contentsIn('logs')).not.toContain('viola');
    expect((await ofUser(span?.user_id ?? '')).status).toBe(204);
    expect(await contentsIn('span_contents')).not.toContain('viola');
    await spansOf(traceOf((await chat('viola')).headers.get('x-request-id')));
    expect((await call(server, SETTINGS, { method: 'DELETE' })).status).toBe(204);
    expect(await contentsIn('span_contents')).toBe('[]');
  });

  describe('feedback', () => {
    it('is given on an answer by the id of its request, replaced and taken back', async () => {
      const { headers } = await chat('How was it?');
      const traceId = traceOf(headers.get('x-request-id'));
      const give = (path: string, body: object, key = server.key) => call(server, path, { method: 'PUT', body, key });
      // Before the span is written: the answer has just arrived.
      const first = await give(`/v1/observability/traces/${traceId}/feedback`, { rating: 'down', note: 'Too long' });
      expect(first.status, first.text).toBe(200);
      const { span_id } = first.body as { span_id: string };
      const path = `/v1/observability/traces/${traceId}/spans/${span_id}/feedback`;
      expect((await give(path, { rating: 'up' }, chatter)).body).toMatchObject({ rating: 'up', note: null });
      expect((await give(path, { rating: 'up' })).body).toMatchObject({ rating: 'up', note: null });
      expect((await give(path, {})).status).toBe(422);
      expect((await give(path, { rating: 'fine' })).status).toBe(422);
      expect((await give(path, { rating: 'up' }, stranger)).status).toBe(404);
      expect((await give(path, { rating: 'up' }, viewer)).status).toBe(403);
      expect((await call(server, path, { key: chatter })).status).toBe(403);
      expect((await call(server, path, { key: viewer })).body).toMatchObject({ data: [{}, {}] });
      const search = async (search_expression: string) => {
        const answer = await call(server, '/v1/observability/spans/search', { body: { search_expression } });
        return (answer.body as { spans: Feed<GetSpan> }).spans.results.map((span) => span.span_id);
      };
      expect(await search("feedback_rating = 'up'")).toEqual([span_id]);
      expect(await search("feedback_rating = 'down'")).toEqual([]);
      expect(await search("feedback_rating EXISTS AND operation_name = 'chat'")).toEqual([span_id]);
      expect((await call(server, path, { method: 'DELETE' })).status).toBe(204);
      expect((await call(server, path)).body).toMatchObject({ data: [{ rating: 'up' }] });
    });
  });

  describe('logs', () => {
    const logs = async (search_expression: string, query = '', order = 'desc', key = server.key) => {
      const answer = await call(server, `/v1/observability/logs/search${query}`, {
        body: { search_expression, order },
        key,
      });
      expect(answer.status, answer.text).toBe(200);
      return (answer.body as { logs: Feed<GetLog> }).logs;
    };

    it('have a line for each failed request of the workspace, with its trace', async () => {
      const { headers, status } = await call(server, CHAT, {
        body: {
          model: MODEL,
          messages: [{ role: 'user', content: 'x' }],
          tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'no such' } } }],
        },
      });
      expect(status).toBe(400);
      const trace_id = traceOf(headers.get('x-request-id'));
      await spansOf(trace_id);
      const { results } = await logs(`trace_id = '${trace_id}'`);
      expect(results).toMatchObject([
        { severity_text: 'WARN', service_name: 'tramontane', event_name: 'request.failed' },
      ]);
      expect((await logs('', '', 'desc', stranger)).results).toEqual([]);
      expect((await call(server, '/v1/observability/logs/search', { body: {}, key: chatter })).status).toBe(403);
    });

    it('take those of OpenTelemetry exporters, each once, redacted, and list them in either order', async () => {
      const now = Date.now();
      const line = (n: number, text: string) => ({
        timeUnixNano: `${now + n}000000`,
        severityNumber: 9,
        body: { stringValue: text },
        attributes: [{ key: 'n', value: { intValue: String(n) } }],
        traceId: '3'.repeat(32),
      });
      const body = {
        resourceLogs: [
          {
            resource: { attributes: [{ key: 'service.name', value: { stringValue: 'my-agent' } }] },
            scopeLogs: [
              {
                scope: { name: 'tests' },
                logRecords: [line(1, 'first'), line(2, 'call 1111-2222'), { ...line(3, 'old'), timeUnixNano: '5' }],
              },
            ],
          },
        ],
      };
      const sent = await call(server, '/telemetry/v1/logs', { body });
      expect(sent.body).toMatchObject({ partialSuccess: { rejectedLogRecords: '1' } });
      await call(server, '/telemetry/v1/logs', { body });
      const found = await vi.waitFor(
        async () => {
          const { results } = await logs("service_name = 'my-agent'", '', 'asc');
          expect(results).toHaveLength(2);
          return results;
        },
        { timeout: 20_000 },
      );
      expect(found).toMatchObject([
        { body: 'first', severity_text: 'INFO', scope_name: 'tests', log_attributes: { n: '1' } },
        { body: 'call [number]' },
      ]);
      const range = `?to=${encodeURIComponent(new Date(now + 60_000).toISOString())}&page_size=1`;
      const first = await logs("service_name = 'my-agent'", range);
      expect(first.results).toMatchObject([{ body: 'call [number]' }]);
      const cursor = encodeURIComponent(first.cursor ?? '');
      expect((await logs("service_name = 'my-agent'", `${range}&cursor=${cursor}`)).results).toMatchObject([
        { body: 'first' },
      ]);
      expect((await logs("log_attributes['n'] = '2' AND body CONTAINS 'call'")).results).toHaveLength(1);
      const options = await call(server, '/v1/observability/logs/fields/severity_text/options');
      expect(options.body).toMatchObject({ options: expect.arrayContaining(['INFO', 'WARN']) });
      expect((await call(server, '/v1/observability/logs/fields')).text).toContain('log_attributes');
      const wrong = await call(server, '/v1/observability/logs/search', { body: { search_expression: 'nothing = 1' } });
      expect(wrong.status).toBe(422);
      expect((await call(server, '/telemetry/v1/logs', { body: { resourceLogs: 'none' } })).status).toBe(400);
    });
  });

  it.runIf(isSqliteOrFull(database))(
    'of a member who is removed are deleted with what they thought of answers, and those of others stay',
    async () => {
      await set({ enabled: true, sample_rate: 1, retention_days: 30 });
      const leaving = await addColleague(server, 'dev');
      const { id } = (await call(server, '/v1/users/me', { key: leaving })).body as { id: string };
      const ask = (content: string, key: string) =>
        call(server, CHAT, { key, body: { model: MODEL, messages: [{ role: 'user', content }] } });
      const [own] = await spansOf(traceOf((await ask('harpsichord', leaving)).headers.get('x-request-id')));
      await spansOf(traceOf((await ask('harmonica', server.key)).headers.get('x-request-id')));
      const feedback = `/v1/observability/traces/${own?.trace_id}/spans/${own?.span_id}/feedback`;
      const thought = await call(server, feedback, {
        method: 'PUT',
        key: leaving,
        body: { rating: 'up', note: 'mine' },
      });
      expect(thought.status).toBe(200);
      const { tenants, database: opened } = server.platform;
      const [organization] = await tenants.listOrganizations();
      const by = { organization_id: organization?.id ?? '', actor: { type: 'OTHER', metadata: {} } } as const;
      await tenants.members.remove(by, id);
      await vi.waitFor(async () => expect(await contentsIn('span_contents')).not.toContain('harpsichord'), {
        timeout: 30_000,
      });
      expect(await contentsIn('span_contents')).toContain('harmonica');
      const left = () => opened.db.selectFrom('span_feedback').selectAll().where('user_id', '=', id).execute();
      await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 20_000 });
    },
  );

  it('are deleted with the time that the workspace keeps them', async () => {
    await set({ enabled: true, retention_days: 1 });
    const { headers } = await chat('zither');
    await spansOf(traceOf(headers.get('x-request-id')));
    const { db } = server.platform.database;
    const start_us = (Date.now() - 2 * 24 * 60 * 60 * 1000) * 1000;
    await db.updateTable('span_contents').set({ start_us }).execute();
    const contents = createContentService({
      ...server.platform,
      now: Date.now,
      rules: { isAllowed: true, retentionDays: 30, charactersMax: 1024, redactionRules: 0 },
      switches: { raise: () => undefined },
      flush: async () => undefined,
    });
    await contents.prune();
    expect(await contentsIn('span_contents')).toBe('[]');
  });
});

onSqliteFirst('an operator who forbids contents', (database) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;

  beforeAll(async () => {
    upstream = await startUpstream();
    server = await startTestServer(database, {
      file: {
        models: [{ id: 'small', engine: 'upstream', url: upstream.url, kind: 'chat' }],
        limits: { key: { requests_per_second: 1 } },
        traces: { contents: { allowed: false } },
      },
    });
  });

  it('has nobody switch them on', async () => {
    const answer = await call(server, SETTINGS, { method: 'PUT', body: { enabled: true } });
    expect(answer.status).toBe(403);
    expect((await call(server, SETTINGS)).body).toMatchObject({ allowed: false, enabled: false });
  });

  it('sees requests that limits refuse among the others, and none of them in the ledger', async () => {
    const body = { model: 'small', messages: [{ role: 'user', content: 'Hello' }] };
    const answers = await Promise.all(Array.from({ length: 30 }, () => call(server, CHAT, { body })));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(20);
    const { db } = server.platform.database;
    const rows = await vi.waitFor(
      async () => {
        const found = await db.selectFrom('spans').selectAll().where('http_status', '=', 429).execute();
        expect(found.length).toBeGreaterThan(0);
        return found;
      },
      { timeout: 20_000 },
    );
    expect(rows.length).toBeLessThanOrEqual(40);
    expect(rows[0]).toMatchObject({ status_code: 'Error', request_model: 'small', cost_micros: 0 });
    await expect
      .poll(async () => (await db.selectFrom('usage_records').selectAll().execute()).length)
      .toBe(30 - refused.length);
  });
});
