import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import type { Feed, GetSpan, GetTrace } from './schema/wire.ts';
import { spanAt } from './spans-for-tests.ts';
import { spanWriter } from './store/spans.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const messages = [{ role: 'user', content: 'the secret word is xylophone' }];

onEachDatabase('/v1/observability', (database) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  let stranger: string;
  let viewer: string;
  let chatter: string;

  beforeAll(async () => {
    upstream = await startUpstream();
    const priced = { price: { prompt: 10, completion: 100 } };
    server = await startTestServer(database, {
      file: {
        models: [
          { id: 'small', engine: 'upstream', url: upstream.url, kind: 'chat', ...priced },
          { id: 'large', engine: 'upstream', url: upstream.url, kind: 'chat' },
        ],
      },
    });
    stranger = await addStranger(server);
    viewer = await addColleague(server, 'observability_viewer');
    chatter = await addColleague(server, 'user');
    upstream.answerWith(({ body }, response) =>
      body.model === 'large' && (body.messages as { content: string }[])[0]?.content === 'fail'
        ? json(response, 500, { error: { message: 'no' } })
        : json(response, 200, completion('Yes')),
    );
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
    await call(server, '/v1/chat/completions', { body: { model: 'small', messages }, headers });
    await call(server, '/v1/chat/completions', { body: { model: 'large', messages } });
    await call(server, '/v1/chat/completions', {
      body: { model: 'large', messages: [{ role: 'user', content: 'fail' }] },
    });
    await call(server, '/v1/conversations', { body: { model: 'small', inputs: 'Hello' } });
    await vi.waitFor(async () => expect((await spans()).results).toHaveLength(5), { timeout: 10_000 });
  });

  async function spans(search_expression = '', query = '', key = server.key): Promise<Feed<GetSpan>> {
    const answer = await call(server, `/v1/observability/spans/search${query}`, { body: { search_expression }, key });
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { spans: Feed<GetSpan> }).spans;
  }
  const models = async (expression: string) =>
    (await spans(expression)).results.map(({ request_model }) => request_model);

  describe('spans', () => {
    it('tell of each request what was asked, by whom, what it cost and how long it took, and nothing that was said', async () => {
      const { results } = await spans(`trace_id = '${TRACE}'`);
      expect(results).toHaveLength(1);
      expect(results[0]).toMatchObject({
        span_name: 'chat small',
        operation_name: 'chat',
        request_model: 'small',
        response_model: 'small',
        parent_span_id: PARENT,
        status_code: 'Unset',
        usage_input_tokens: 7,
        usage_output_tokens: 3,
        input_messages: '',
        output_messages: '',
        span_attributes: {
          'tramontane.cost_micros': '370',
          'http.response.status_code': '200',
          'tramontane.key_id': expect.any(String),
          'tramontane.request_id': expect.any(String),
        },
      });
      expect(results[0]?.duration_ns).toBeGreaterThanOrEqual(0);
      expect(Date.parse(results[0]?.end_time ?? '')).toBeGreaterThanOrEqual(Date.parse(results[0]?.start_time ?? ''));
      const rows = await server.platform.database.db.selectFrom('spans').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain('xylophone');
    });

    it('of a failed request tell the error, and those of a conversation which one', async () => {
      const [failed] = (await spans("status_code = 'Error'")).results;
      expect(failed).toMatchObject({ request_model: 'large', error_type: expect.stringMatching(/\w/) });
      expect(Number(failed?.span_attributes['http.response.status_code'])).toBeGreaterThanOrEqual(500);
      const [turn, run] = (await spans('conversation_id EXISTS')).results.toSorted((a, b) =>
        a.operation_name.localeCompare(b.operation_name),
      );
      expect(turn?.conversation_id).toMatch(/^conv_/);
      expect(turn?.parent_span_id).toBe(run?.span_id);
      expect(run).toMatchObject({ operation_name: 'invoke_agent', trace_id: turn?.trace_id });
    });

    it.each([
      ["request_model = 'small'", 3],
      ["request_model != 'small'", 2],
      ["request_model IN ('small', 'none')", 3],
      ["request_model NOT IN ('small')", 2],
      ["span_name LIKE 'chat %'", 4],
      ["span_name LIKE 'CHAT %'", 0],
      ["span_name ILIKE 'CHAT S%'", 2],
      ["span_name NOT LIKE '%small'", 3],
      ["span_name CONTAINS 'larg'", 2],
      ["NOT (span_name CONTAINS 'larg' OR conversation_id EXISTS)", 1],
      ['usage_input_tokens BETWEEN 7 AND 8', 3],
      ['usage_output_tokens > 0 AND cost_micros = 0', 1],
      ["start_time > '2020-01-01T00:00:00Z'", 5],
      ["feedback_rating = 'up'", 0],
      ['feedback_note EXISTS', 0],
      ["span_attributes['no.such'] = 'x'", 0],
      ["span_attributes.no.such = 'x'", 0],
      ['request_temperature > 0', 0],
      ["response_finish_reasons HAS 'stop'", 0],
      ["error_type = 'it''s'", 0],
    ])('are found by %s', async (expression, count) => {
      expect(await models(expression)).toHaveLength(count);
    });

    it('are listed in pages, newest first, each once', async () => {
      const first = await spans('', '?page_size=3');
      const second = await spans('', `?page_size=3&cursor=${encodeURIComponent(first.cursor ?? '')}`);
      const ids = [...first.results, ...second.results].map(({ span_id }) => span_id);
      expect(new Set(ids).size).toBe(5);
      expect(second.cursor).toBeNull();
      const times = [...first.results, ...second.results].map(({ start_time }) => start_time);
      expect(times).toEqual(times.toSorted().reverse());
      const body = { search_expression: "request_model = 'small'" };
      const other = await call(server, `/v1/observability/spans/search?cursor=${first.cursor}`, { body });
      expect(other.status).toBe(400);
    });

    it('are within the time range that is asked for', async () => {
      expect((await spans('', '?to=2020-01-01T00:00:00Z')).results).toEqual([]);
      expect((await spans('', '?from=2020-01-01T00:00:00')).results).toHaveLength(5);
    });

    it.runIf(isSqliteOrFull(database)).each([
      ['request_model', 'an operator is expected'],
      ["no_such = 'x'", "there is no field 'no_such' (position 1)"],
      ["request_model > 'x'", 'does not have this operator'],
      ["duration_ns = 'long'", 'is a number'],
      ["start_time > 'soon'", 'is a time'],
      ["(request_model = 'x'", "')' is expected at the end"],
      ["request_model = 'x' request_model = 'y'", 'join conditions with AND or OR'],
      ["span_name LIKE '%a%b%c%d%e%f%'", 'at most 5 wildcards'],
      ['request_model = ;', 'cannot be read'],
      [`${'('.repeat(50)}`, 'nested too deeply'],
    ])('refuse the expression %s, saying what is wrong and where', async (search_expression, problem) => {
      const answer = await call(server, '/v1/observability/spans/search', { body: { search_expression } });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain(JSON.stringify(problem).slice(1, -1));
    });

    it.runIf(isSqliteOrFull(database))('of others are not there, and not for those who only chat', async () => {
      expect((await spans('', '', stranger)).results).toEqual([]);
      expect((await spans('', '', viewer)).results).toHaveLength(5);
      const refused = await call(server, '/v1/observability/spans/search', { body: {}, key: chatter });
      expect(refused.status).toBe(403);
      const path = `/v1/observability/traces/${TRACE}`;
      expect((await call(server, path, { key: stranger })).status).toBe(404);
      expect((await call(server, `${path}/spans`, { key: stranger })).status).toBe(404);
    });
  });

  describe('traces', () => {
    it('are found by what their spans are in sum', async () => {
      const search = async (search_expression: string) => {
        const answer = await call(server, '/v1/observability/traces/search', { body: { search_expression } });
        expect(answer.status, answer.text).toBe(200);
        return (answer.body as { traces: Feed<GetTrace> }).traces.results;
      };
      expect(await search('')).toHaveLength(4);
      const [failed, ...more] = await search("error_count > 0 AND status_code = 'Error'");
      expect(more).toEqual([]);
      expect(failed).toMatchObject({
        llm_call_count: 1,
        span_count: 1,
        models_used: ['large'],
        root_span_name: 'chat large',
      });
      const read = await call(server, `/v1/observability/traces/${TRACE}`);
      expect(read.body).toMatchObject({ trace_id: TRACE, input_tokens: 7, output_tokens: 3, status_code: 'Unset' });
    });

    it('of an execution of an earlier release, stored under the hash of its id, is found by that id', async () => {
      const id = '0198c0de-1111-7abc-8def-0123456789ab';
      const stored = createHash('sha256').update(id).digest('hex').slice(0, 32);
      const { db, kind, transaction } = server.platform.database;
      const { workspace_id } = await db.selectFrom('spans').select('workspace_id').executeTakeFirstOrThrow();
      const span = { ...spanAt(Date.now()), workspace_id, trace_id: stored };
      await transaction((tx) => spanWriter(kind, { mayRepeat: false })(tx, [span]));
      const path = `/v1/observability/traces/${id.replaceAll('-', '')}`;
      expect((await call(server, path)).body).toMatchObject({ trace_id: stored, models_used: ['small'] });
      const { spans: listed } = (await call(server, `${path}/spans`)).body as { spans: Feed<GetSpan> };
      expect(listed.results).toMatchObject([{ span_id: span.span_id }]);
      expect((await call(server, `${path}/spans/${span.span_id}`)).body).toMatchObject({ trace_id: stored });
      expect((await call(server, path, { key: stranger })).status).toBe(404);
      await db.deleteFrom('spans').where('trace_id', '=', stored).execute();
    });
  });

  describe('aggregations', () => {
    const ask = async (body: object, subject = 'spans') => {
      const answer = await call(server, `/v1/observability/${subject}/aggregate`, { body });
      expect(answer.status, answer.text).toBe(200);
      const { data } = answer.body as { data: { dimensions: object; metric_value: number; time_bucket: string }[] };
      return data;
    };

    it('count and sum by fields, largest first', async () => {
      const count = await ask({ metric: { measure: 'span_id', aggregation: 'count' }, dimensions: ['request_model'] });
      expect(count.map(({ dimensions, metric_value }) => [dimensions, metric_value])).toEqual(
        expect.arrayContaining([
          [{ request_model: 'small' }, 3],
          [{ request_model: 'large' }, 2],
        ]),
      );
      const [sum] = await ask({ metric: { measure: 'usage_input_tokens', aggregation: 'sum' } });
      expect(sum?.metric_value).toBe((await spans()).results.reduce((sum, one) => sum + one.usage_input_tokens, 0));
    });

    it('give percentiles, buckets of time, and an order', async () => {
      const metric = { measure: 'usage_output_tokens', aggregation: 'p50' };
      expect((await ask({ metric, search_expression: 'usage_output_tokens = 3' }))[0]?.metric_value).toBe(3);
      const [hour] = await ask({
        metric: { measure: 'span_id', aggregation: 'count' },
        time_dimension: { granularity: 'month' },
        order_by: [{ field: 'time_bucket', direction: 'desc' }],
      });
      expect(hour?.time_bucket).toMatch(/-01T00:00:00\.000000Z$/);
      expect(hour?.metric_value).toBe(5);
      const [traces] = await ask({ metric: { measure: 'llm_call_count', aggregation: 'avg' } }, 'traces');
      expect(traces?.metric_value).toBe(1);
    });

    it.runIf(isSqliteOrFull(database))('refuse fields, operations and orders that there are not', async () => {
      const refuse = async (body: object) =>
        expect((await call(server, '/v1/observability/spans/aggregate', { body })).status).toBe(422);
      await refuse({ metric: { measure: 'nothing', aggregation: 'count' } });
      await refuse({ metric: { measure: 'request_model', aggregation: 'avg' } });
      await refuse({ metric: { measure: 'span_id', aggregation: 'count' }, dimensions: ['span_attributes'] });
      await refuse({ metric: { measure: 'span_id', aggregation: 'count' }, order_by: [{ field: 'cost_micros' }] });
    });
  });

  describe('fields', () => {
    it('can each be searched with every operator that they say they have', async () => {
      const { body } = await call(server, '/v1/observability/spans/fields');
      const { field_definitions } = body as {
        field_definitions: { name: string; type: string; supported_operators: string[] }[];
      };
      const spelled: Record<string, string> = {
        ...{ eq: '= V', neq: '!= V', lt: '< V', lte: '<= V', gt: '> V', gte: '>= V', has: 'HAS V' },
        ...{ like: 'LIKE V', ilike: 'ILIKE V', not_like: 'NOT LIKE V', not_ilike: 'NOT ILIKE V' },
        ...{ contains: 'CONTAINS V', not_contains: 'NOT CONTAINS V', in: 'IN (V)', not_in: 'NOT IN (V)' },
        ...{
          between: 'BETWEEN V AND V',
          not_between: 'NOT BETWEEN V AND V',
          exists: 'EXISTS',
          not_exists: 'NOT EXISTS',
        },
      };
      const conditions = field_definitions.flatMap(({ name, type, supported_operators }) =>
        supported_operators.map((operator) => {
          const value =
            type === 'TIMESTAMP' ? "'2026-01-01T00:00:00Z'" : type === 'INT' || type === 'FLOAT' ? '1' : "'a'";
          return `${name}${type === 'MAP' ? "['a.b']" : ''} ${spelled[operator]?.replaceAll('V', value)}`;
        }),
      );
      for (let at = 0; at < conditions.length; at += 12)
        await spans(conditions.slice(at, at + 12).join(' OR '), '?page_size=1');
    });

    it('list their values, most frequent first', async () => {
      const options = async (path: string) => (await call(server, `/v1/observability/${path}/options`)).body;
      expect(await options('spans/fields/response_model')).toEqual({ options: ['large', 'small'] });
      expect(await options('traces/fields/root_span_name')).toEqual({
        options: ['chat large', 'chat small', 'invoke_agent'],
      });
      expect(await options('spans/fields/duration_ns')).toEqual({ options: null });
      expect((await call(server, '/v1/observability/spans/fields/nothing/options')).status).toBe(404);
    });
  });

  describe.runIf(isSqliteOrFull(database))('with the official SDK', () => {
    it('spans, traces and fields are read', async () => {
      const client = new Mistral({ apiKey: server.key, serverURL: server.url });
      const { observability } = client.beta;
      const found = await observability.spans.searchSpans({
        spansRequest: { searchExpression: `trace_id = '${TRACE}'` },
      });
      const span = found.spans.results?.[0];
      expect(span?.requestModel).toBe('small');
      const read = await observability.traces.getSpanById({ traceId: TRACE, spanId: span?.spanId ?? '' });
      expect(read.usageInputTokens).toBe(7);
      expect((await observability.traces.getTraceById({ traceId: TRACE })).spanCount).toBe(1);
      expect((await observability.spans.listSpanFields()).fieldDefinitions.length).toBeGreaterThan(20);
    });
  });

  describe('POST /telemetry/v1/traces', () => {
    const startTimeUnixNano = `${Date.now()}000000`;
    const sent = (spanId: string, more: object = {}) => ({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'my-agent' } }] },
          scopeSpans: [
            {
              scope: { name: 'tests', version: '1' },
              spans: [
                {
                  traceId: TRACE,
                  spanId,
                  name: 'invoke_agent helper',
                  kind: 1,
                  startTimeUnixNano,
                  endTimeUnixNano: `${startTimeUnixNano.slice(0, -9)}999000000`,
                  attributes: [
                    { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
                    { key: 'gen_ai.usage.input_tokens', value: { intValue: '12' } },
                    { key: 'gen_ai.usage.cost', value: { doubleValue: 99 } },
                    { key: 'gen_ai.input.messages', value: { stringValue: 'the secret word is marimba' } },
                    { key: 'http.route', value: { stringValue: '/here' } },
                  ],
                  status: { code: 2, message: 'broken' },
                  ...more,
                },
              ],
            },
          ],
        },
      ],
    });
    const post = (body: unknown, headers: Record<string, string> = {}, key = server.key) =>
      call(server, '/telemetry/v1/traces', {
        raw: gzipSync(JSON.stringify(body)),
        headers: { 'content-encoding': 'gzip', ...headers },
        key,
      });

    it('joins what a client saw with what the server did', async () => {
      const answer = await post(sent(PARENT));
      expect([answer.status, answer.body]).toEqual([200, {}]);
      await expect
        .poll(async () => (await spans("service_name = 'my-agent'")).results.length, { timeout: 5000 })
        .toBe(1);
      const trace = (await call(server, `/v1/observability/traces/${TRACE}`)).body;
      expect(trace).toMatchObject({ root_span_name: 'invoke_agent helper', span_count: 2, error_count: 1 });
      const [span] = (await spans("span_attributes['http.route'] = '/here'")).results;
      expect(span).toMatchObject({ usage_input_tokens: 12, status_message: 'broken', scope_name: 'tests' });
      expect(span?.span_attributes['tramontane.cost_micros']).toBeUndefined();
      const rows = await server.platform.database.db.selectFrom('spans').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain('marimba');
    });

    it.runIf(isSqliteOrFull(database))(
      'refuses single spans that are not valid, and whole bodies that are no export',
      async () => {
        const partial = await post(sent('00'));
        expect(partial.body).toMatchObject({ partialSuccess: { rejectedSpans: '1' } });
        expect((await post(sent(PARENT, { startTimeUnixNano: '5' }))).body).toHaveProperty('partialSuccess');
        expect((await post({ resourceSpans: 'none' })).status).toBe(400);
        expect((await post([])).status).toBe(400);
        const plain = { raw: '{"resourceSpans": []}', headers: { 'content-encoding': 'gzip' } };
        expect((await call(server, '/telemetry/v1/traces', plain)).status).toBe(400);
        const headers = { 'content-type': 'application/x-protobuf' };
        expect((await call(server, '/telemetry/v1/traces', { raw: Buffer.of(0x0a, 0x7f, 1), headers })).status).toBe(
          400,
        );
        expect(
          (await call(server, '/telemetry/v1/traces', { raw: '', headers: { 'content-type': 'text/plain' } })).status,
        ).toBe(415);
        const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
        const large = { raw: bomb, headers: { ...headers, 'content-encoding': 'gzip' } };
        expect((await call(server, '/telemetry/v1/traces', large)).status).toBe(413);
      },
    );
  });
});
