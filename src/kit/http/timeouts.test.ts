import { connect } from 'node:net';
import pino from 'pino';
import { expect, it } from 'vitest';
import { createHttpServer, type Idempotency } from './index.ts';

const noIdempotency: Idempotency = { run: (_call, work) => work(), sweep: async () => 0 };

it('a client that dawdles over its headers is answered 408 and cut off', async () => {
  const { app, drain } = createHttpServer({
    routes: [],
    authenticate: () => undefined,
    log: pino({ level: 'silent' }),
    idempotency: noIdempotency,
    headersTimeoutMs: 100,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const startedAt = performance.now();
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n'));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout/);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    object: 'error',
    type: 'invalid_request_error',
  });
  // Node by itself looks for late connections every thirty seconds.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  await drain(0);
}, 40_000);

it('has limits on headers, whole requests and idle connections', () => {
  const { app } = createHttpServer({
    routes: [],
    authenticate: () => undefined,
    log: pino({ level: 'silent' }),
    idempotency: noIdempotency,
  });
  const { headersTimeout, requestTimeout, keepAliveTimeout } = app.server;
  for (const limit of [headersTimeout, requestTimeout, keepAliveTimeout]) expect(limit).toBeGreaterThan(0);
});
