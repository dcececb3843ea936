import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { atEnd } from '../../../test/support/cleanup.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer } from '../../../test/support/server.ts';

type Sent = { resourceSpans: { resource: unknown; scopeSpans: { spans: Record<string, unknown>[] }[] }[] };

async function startCollector() {
  const received: Sent[] = [];
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      paths.push(request.url);
      received.push(JSON.parse(text) as Sent);
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  const spans = () =>
    received.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths, spans };
}

it('a request becomes a span that continues the trace of its caller and holds no secret', async () => {
  const collector = await startCollector();
  const server = await startTestServer(sqliteForTests(), {
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  await call(server, '/v1/models/secret-name?canary=1', {
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  });
  await call(server, '/v1/users/me');
  await server.stop();
  expect(new Set(collector.paths)).toEqual(new Set(['/v1/traces']));
  const [first, second] = collector.spans();
  expect(first).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', name: 'GET /v1/models/:model_id', kind: 2 });
  expect(second?.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(second).not.toHaveProperty('parentSpanId');
  expect(BigInt(String(first?.endTimeUnixNano))).toBeGreaterThanOrEqual(BigInt(String(first?.startTimeUnixNano)));
  expect(JSON.stringify(collector.spans())).not.toMatch(new RegExp(`canary|secret-name|${server.key}`));
});

it('nothing is sent anywhere unless it is configured, and a collector that is away disturbs nobody', async () => {
  const server = await startTestServer(sqliteForTests(), {
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
  });
  expect((await call(server, '/v1/users/me')).status).toBe(200);
  await server.stop();
  expect(server.logs.filter((line) => line.includes('Traces cannot be delivered'))).toHaveLength(1);
});
