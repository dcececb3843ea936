import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import type { Feed, GetLog, GetSpan } from '../../src/traces/schema/wire.ts';
import { call } from '../support/call.ts';
import { sqliteForTests } from '../support/databases.ts';
import { pythonWithOpenTelemetry } from '../support/python.ts';
import { startTestServer } from '../support/server.ts';
import { startUpstream } from '../support/upstream.ts';

const run = promisify(execFile);
const program = new URL('./export.py', import.meta.url).pathname;

describe.skipIf(!pythonWithOpenTelemetry)('exporters of OpenTelemetry in Python', () => {
  it('send spans and logs, and those of an instrumentation of another maker, which are joined with our own', async () => {
    const upstream = await startUpstream();
    const model = { id: 'small', engine: 'upstream' as const, url: upstream.url };
    const server = await startTestServer(sqliteForTests(), { file: { models: [model] } });
    const { stdout } = await run(pythonWithOpenTelemetry ?? '', [program, server.url], {
      env: { ...process.env, KEY: server.key },
      timeout: 60_000,
    });
    const traceId = stdout.trim();
    const spans = await vi.waitFor(
      async () => {
        const { body } = await call(server, `/v1/observability/traces/${traceId}/spans`);
        const { results } = (body as { spans: Feed<GetSpan> }).spans;
        expect(results).toHaveLength(3);
        return results;
      },
      { timeout: 20_000 },
    );
    const work = spans.find(({ span_name }) => span_name === 'work');
    const chats = spans.filter(({ operation_name }) => operation_name === 'chat');
    expect(work).toMatchObject({ service_name: 'python-program', parent_span_id: '' });
    expect(chats.map(({ service_name }) => service_name).toSorted()).toEqual(['python-program', 'tramontane']);
    for (const chat of chats) expect(chat).toMatchObject({ parent_span_id: work?.span_id, request_model: 'small' });
    expect(chats.map(({ usage_input_tokens }) => usage_input_tokens)).toEqual([7, 7]);
    const logs = await call(server, '/v1/observability/logs/search', {
      body: { search_expression: `trace_id = '${traceId}' AND severity_text = 'WARN'` },
    });
    expect((logs.body as { logs: Feed<GetLog> }).logs.results).toMatchObject([{ body: 'the work began' }]);
  });
});
