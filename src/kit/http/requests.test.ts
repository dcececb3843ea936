import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { noteRoutes } from '../../../test/fixtures/notes.ts';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(sqliteForTests(), { extraRoutes: noteRoutes });
});

describe('a request', () => {
  it('gets an id of its own when it brings none, or one that could not be a header [HTTP-SUCCESS-200]', async () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
    for (const headers of [{}, { 'x-request-id': 'x'.repeat(500) }]) {
      const answer = await call(server, '/v1/users/me', { headers });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-request-id')).toMatch(uuid);
      expect(answer.headers.get('mistral-correlation-id')).toBe(answer.headers.get('x-request-id'));
    }
  });

  it('with a body over the limit of its route is refused with 413 and nothing is written [HTTP-413-BODY]', async () => {
    const large = await call(server, '/v1/notes', { body: { text: 'x'.repeat(2 * 1024 * 1024) } });
    expect(large).toMatchObject({ status: 413, body: { object: 'error', type: 'invalid_request_error', param: null } });
    expect((await call(server, '/v1/notes', { body: { text: 'x'.repeat(1_000_000) } })).status).toBe(201);
  });

  it('over 10 MiB is refused on a route with no limit of its own', async () => {
    expect(
      (await call(server, '/v1/chat/completions', { raw: `{"model":"${'x'.repeat(10 * 1024 * 1024)}"}` })).status,
    ).toBe(413);
  });

  it.each([11, 25, 60])('of %i MiB gets its 413 in an ordinary client, however it is sent', async (mebibytes) => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
    const post = (init: RequestInit) =>
      fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, ...init });
    for (let i = 0; i < rounds(1, 3); i++) {
      const whole = await post({ body: Buffer.alloc(mebibytes * 1024 * 1024, 'x') });
      expect([whole.status, await whole.json()]).toMatchObject([
        413,
        { object: 'error', type: 'invalid_request_error' },
      ]);
      const pieces = ReadableStream.from(Array(mebibytes).fill(piece));
      expect((await post({ body: pieces, duplex: 'half' } as RequestInit)).status).toBe(413);
    }
    expect((await call(server, '/v1/users/me')).status).toBe(200);
  });

  it('in another media type is refused with 415 [HTTP-415-BODY]', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']) {
      expect(await call(server, '/v1/notes', { raw: 'text=a', headers: { 'content-type': type } })).toMatchObject({
        status: 415,
        body: { object: 'error', type: 'invalid_request_error' },
      });
    }
    expect(
      (await call(server, '/v1/notes', { body: { text: 'a' }, headers: { 'content-encoding': 'gzip' } })).status,
    ).toBe(415);
  });

  it('with JSON nested too deeply or with too many keys is refused', async () => {
    const nested = `{"text":"a","metadata":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`;
    expect(await call(server, '/v1/notes', { raw: nested })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'json_invalid', msg: 'JSON is nested too deeply' }] },
    });
    const endless = '['.repeat(1_000_000);
    expect((await call(server, '/v1/notes', { raw: endless })).status).toBe(422);
    const keys = `{"text":"a","metadata":{${Array.from({ length: 100_001 }, (_, i) => `"k${i}":0`).join(',')}}}`;
    expect(await call(server, '/v1/notes', { raw: keys })).toMatchObject({
      status: 422,
      body: { detail: [{ msg: 'JSON has too many keys' }] },
    });
  });

  it('with too many values is refused before they are built, by the limit of its route', async () => {
    const refusalAt = (path: string, values: number) =>
      call(server, path, { body: { x: Array(values).fill(0) } }).then(({ status, text }) => [status, text]);
    const tooMany = (limit: number) => [422, expect.stringContaining(`more than ${limit}`)];
    expect(await refusalAt('/v1/chat/completions', 500_001)).toEqual(tooMany(500_000));
    expect(await refusalAt('/v1/batch/jobs', 1_000_001)).toEqual([422, expect.not.stringContaining('too many values')]);
    expect(await refusalAt('/v1/batch/jobs', 2_000_001)).toEqual(tooMany(2_000_000));
  });

  it('for a name longer than any is 404, not our mistake', async () => {
    for (const length of [8192, 8193, 12_000])
      expect((await call(server, `/v1/models/${'a'.repeat(length)}`)).status).toBe(404);
  });

  it('cannot reach a prototype', async () => {
    const refused = await call(server, '/v1/notes', { raw: '{"text":"a","__proto__":{"polluted":true}}' });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'extra_forbidden', loc: ['body', '__proto__'] }] },
    });
    for (const raw of [
      '{"text":"a","metadata":{"__proto__":{"polluted":true}}}',
      '{"text":"a","metadata":{"constructor":{"prototype":{"polluted":true}}}}',
    ]) {
      expect((await call(server, '/v1/notes', { raw })).status).toBe(201);
    }
    expect('polluted' in {}).toBe(false);
    expect((await call(server, '/v1/notes', { raw: '{"__proto__":{"text":"a"}}' })).status).toBe(422);
  });

  it('is judged by its own key, whatever the one before it on the same connection brought', async () => {
    const { port, hostname } = new URL(server.url);
    const requestWith = (header: string, isLast = false) =>
      `GET /v1/users/me HTTP/1.1\r\nhost: ${hostname}\r\n${header}\r\n${isLast ? 'connection: close\r\n' : ''}\r\n`;
    const good = `authorization: Bearer ${server.key}`;
    const headers = [good, good, `${good}x`, good, 'x-api-key: wrong', `x-api-key: ${server.key}`, 'accept: */*', good];
    const answers = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(headers.map((header, index) => requestWith(header, index === headers.length - 1)).join('')),
      );
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([200, 200, 401, 200, 401, 200, 401, 200]);
  });

  it('that is not HTTP gets a JSON answer and the connection is closed', async () => {
    const { port, hostname } = new URL(server.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write('HELLO\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      object: 'error',
      type: 'invalid_request_error',
    });
  });

  it('with a broken escape in its path is a 400, with a null byte a 404, never a 500', async () => {
    expect((await call(server, '/v1/notes/%E0%A4%A')).status).toBe(400);
    expect((await call(server, '/v1/notes/%00')).status).toBe(404);
    expect((await call(server, `/v1/notes/${'x'.repeat(3000)}`)).status).toBe(404);
  });
});

describe('the paths', () => {
  it('carry the version, and the document says 1.0.0 [HTTP-VERSION-PREFIX] [HTTP-OPENAPI-VERSION]', async () => {
    const { body } = await call(server, '/openapi.json', { key: '' });
    const document = body as { openapi: string; info: { version: string }; paths: Record<string, unknown> };
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('1.0.0');
    expect(Object.keys(document.paths).length).toBeGreaterThan(0);
    // The tool server, the dialects and what is published have the addresses that their protocols give them.
    const given = /^\/(mcp|\.well-known\/.*|(openai|anthropic|telemetry)\/v1\/.*)$/;
    const others = Object.keys(document.paths).filter((path) => !given.test(path));
    for (const path of others)
      expect(path).toMatch(path.startsWith('/v2') ? /^\/v2\/(audio\/voices|prompts|skills|workflows)/ : /^\/v1\//);
  });

  it('/docs is served whole from this server, under a strict policy', async () => {
    const page = await call(server, '/docs', { key: '' });
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(page.text).not.toMatch(/https?:\/\//);
    const assets = [...page.text.matchAll(/(?:src|href)="(\/docs\/(?!guide)[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(assets.length).toBeGreaterThan(2);
    for (const path of assets) expect((await call(server, path, { key: '' })).status).toBe(200);
    expect((await call(server, '/docs/..%2f..%2fpackage.json', { key: '' })).status).toBe(404);
  });

  it('/healthz, /readyz and /metrics answer without a key', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await call(server, path, { key: '' })).status).toBe(200);
    const { text } = await call(server, '/metrics', { key: '' });
    expect(text).toMatch(/http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} 1/);
  });
});
