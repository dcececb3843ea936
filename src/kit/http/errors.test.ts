import { beforeAll, describe, expect, it } from 'vitest';
import { noteRoutes } from '../../../test/fixtures/notes.ts';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';

const ADMIN_KEY = 'admin-key-of-the-tests-0123456789abcdef';
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(sqliteForTests(), {
    extraRoutes: noteRoutes,
    environment: { TRAMONTANE_BOOTSTRAP_ADMIN_KEY: ADMIN_KEY },
  });
});

const keyOf = (prefix: string) => (prefix === '/v1/admin' ? ADMIN_KEY : server.key);
const fail = (prefix: string, kind: string) =>
  call(server, `${prefix}/notes-failing?kind=${kind}`, { key: keyOf(prefix) });
const object = (message: string, type: string, code: string) => ({ object: 'error', message, type, param: null, code });
const LEAK = /secrets|tmk_|srv|private|at |stack|select/i;

describe('the body of an error', () => {
  it('is the error object on the inference family [HTTP-400-BODY] [HTTP-503-BODY] [HTTP-ERROR-TYPE] [HTTP-JSON]', async () => {
    const answers = await Promise.all(['400', '409', '503'].map((kind) => fail('/v1', kind)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [400, object('Say something else.', 'invalid_request_error', 'bad_note')],
      [409, object('Somebody was quicker.', 'conflict_error', 'note_conflict')],
      [503, object('Not now.', 'server_error', 'notes_unavailable')],
    ]);
    expect(answers[2]?.headers.get('retry-after')).toBe('7');
    for (const answer of answers) expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('is a bare sentence on the administrative family [HTTP-ADMIN-ERROR-BODY]', async () => {
    expect(await fail('/v1/admin', '409')).toMatchObject({ status: 409, body: { detail: 'Somebody was quicker.' } });
    expect(await call(server, '/v1/admin/nowhere')).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('/v1/admin/nowhere') },
    });
  });

  it('is a sentence with a code on the workflow family [HTTP-WORKFLOWS-ERROR-BODY]', async () => {
    expect(await fail('/v1/workflows', '409')).toMatchObject({
      status: 409,
      body: { detail: 'Somebody was quicker.', code: 'note_conflict' },
    });
  });

  it('is always the same text for a server error of the workflow family [HTTP-WORKFLOWS-5XX-TEXT]', async () => {
    for (const kind of ['500', '503'])
      expect((await fail('/v1/workflows', kind)).body).toMatchObject({ detail: 'An error occurred' });
  });

  it('never tells what went wrong inside [HTTP-500-BODY] [HTTP-ERROR-NO-LEAK]', async () => {
    for (const prefix of ['/v1', '/v1/workflows', '/v1/admin', '/mcp']) {
      const answer = await fail(prefix, '500');
      expect(answer.status).toBe(500);
      expect(answer.text).not.toMatch(LEAK);
    }
    expect((await fail('/v1', '500')).body).toMatchObject({ object: 'error', type: 'server_error' });
    expect(server.logs.join('')).toContain('select * from secrets');
  });

  it('is an error in the log for a mistake of ours, a warning for a refusal or another server, and nothing for a mistake of the client', async () => {
    const levels: Record<string, number | undefined> = {};
    for (const kind of ['500', '502', '503', '400']) {
      const { headers } = await fail('/v1', kind);
      const id = headers.get('x-request-id') ?? '';
      const lines = server.logs.map((line) => JSON.parse(line) as { level: number; err?: object; requestId?: string });
      levels[kind] = lines.find(({ requestId, err }) => requestId === id && err)?.level;
    }
    expect(levels).toEqual({ 500: 50, 502: 40, 503: 40, 400: undefined });
    expect(server.logs.join('')).toContain('It is gone.');
  });

  it('comes with the request id in its headers [HTTP-ERROR-REQUEST-ID]', async () => {
    for (const path of ['/v1/notes-failing?kind=400', '/v1/notes-failing', '/nowhere', '/v1/users/me?x=1']) {
      const { headers } = await call(server, path, { headers: { 'x-request-id': 'my-own-id' } });
      expect([headers.get('x-request-id'), headers.get('mistral-correlation-id')]).toEqual(['my-own-id', 'my-own-id']);
    }
  });

  it('is 404 for an unknown path and 405 with the methods that exist for a wrong method [HTTP-404-BODY] [HTTP-405-BODY]', async () => {
    expect(await call(server, '/v1/nowhere')).toMatchObject({
      status: 404,
      body: { object: 'error', type: 'not_found_error', param: null, code: 'route_not_found' },
    });
    const wrong = await call(server, '/v1/users/me', { method: 'DELETE' });
    expect(wrong).toMatchObject({ status: 405, body: { object: 'error', type: 'invalid_request_error' } });
    expect(wrong.headers.get('allow')).toBe('GET');
  });

  it('is 405 on an address of words, also where a pattern around it takes the method [HTTP-405-BODY]', async () => {
    const wrong = await call(server, '/v1/agents/completions', { method: 'DELETE' });
    expect(wrong).toMatchObject({ status: 405, body: { type: 'invalid_request_error' } });
    expect(wrong.headers.get('allow')).toBe('POST');
    expect((await call(server, '/v1/agents/other', { method: 'DELETE' })).status).toBe(404);
  });

  it('is 405 for a method that nobody takes, whatever its body would be [HTTP-405-BODY]', async () => {
    for (const headers of [{}, { 'content-type': 'text/plain' }])
      expect(await call(server, '/v1/users/me', { method: 'QUERY', headers })).toMatchObject({ status: 405 });
  });

  it('is 401 with the detail of its family [HTTP-401-BODY] [AUTH-MISSING]', async () => {
    for (const prefix of ['/v1', '/v1/workflows', '/v1/admin']) {
      expect(await call(server, `${prefix}/notes-failing`, { key: '' })).toMatchObject({
        status: 401,
        body: { detail: 'Unauthorized' },
      });
    }
    expect(await call(server, '/mcp/notes-failing', { key: '' })).toMatchObject({
      status: 401,
      body: { detail: 'Invalid API key' },
    });
  });
});

describe('a request that is not valid', () => {
  const create = (prefix: string, body: unknown) => call(server, `${prefix}/notes`, { key: keyOf(prefix), body });

  it('is a 422 with a list in every family [HTTP-422-STATUS] [HTTP-422-SHAPE] [HTTP-422-EVERY-FAMILY]', async () => {
    for (const prefix of ['/v1', '/v1/workflows', '/v1/admin', '/mcp']) {
      const { status, body } = await create(prefix, { text: 5 });
      expect(status).toBe(422);
      expect((body as { detail: unknown }).detail).toEqual([
        { type: 'string_type', loc: ['body', 'text'], msg: 'Input should be a valid string', input: 5 },
      ]);
    }
  });

  it('carries WF_1001 on the workflow family alone [HTTP-422-WORKFLOWS-CODE]', async () => {
    expect((await create('/v1/workflows', {})).body).toMatchObject({ code: 'WF_1001' });
    expect((await create('/v1', {})).body).not.toHaveProperty('code');
  });

  it('names an unknown property at any depth, and an unknown query parameter [HTTP-EXTRA-BODY] [HTTP-EXTRA-NESTED] [HTTP-EXTRA-QUERY]', async () => {
    const extra = (loc: (string | number)[], input: unknown) => ({
      type: 'extra_forbidden',
      loc,
      msg: 'Extra inputs are not permitted',
      input,
    });
    expect((await create('/v1', { text: 'a', store: false })).body).toEqual({
      detail: [extra(['body', 'store'], false)],
    });
    expect((await create('/v1', { text: 'a', tags: [{ name: 'x', colour: 'red' }] })).body).toEqual({
      detail: [extra(['body', 'tags', 0, 'colour'], 'red')],
    });
    expect(await call(server, '/v1/users/me?verbose=1')).toMatchObject({
      status: 422,
      body: { detail: [extra(['query', 'verbose'], '1')] },
    });
  });

  it('names a body that is missing', async () => {
    expect(
      await call(server, '/v1/notes', { method: 'POST', headers: { 'content-type': 'application/json' } }),
    ).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }] },
    });
  });

  it('is told that its JSON is malformed [HTTP-422-MALFORMED-JSON]', async () => {
    for (const raw of ['{"text":', '{text: 1}', 'nope', '{"text":"a"}}', '\u0000']) {
      expect(await call(server, '/v1/notes', { raw })).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'json_invalid', loc: ['body', expect.any(Number)] }] },
      });
    }
    expect((await call(server, '/v1/notes', { raw: new Uint8Array([0x22, 0xff, 0x22]) })).body).toMatchObject({
      detail: [{ type: 'json_invalid' }],
    });
  });

  it('is told of a key that stands twice in one object [HTTP-422-DUPLICATE-KEY]', async () => {
    for (const raw of [
      '{"text":"a","text":"b"}',
      '{"text":"a","te\\u0078t":"b"}',
      '{"text":"a","metadata":{"x":{"y":1,"y":2}}}',
    ]) {
      expect(await call(server, '/v1/notes', { raw })).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'json_invalid', ctx: { error: expect.stringContaining('Duplicate key') } }] },
      });
    }
    const same = await call(server, '/v1/notes', {
      raw: '{"text":"a","metadata":{"text":1,"list":[{"a":1},{"a":"\\"a\\":"}]}}',
    });
    expect(same.status).toBe(201);
  });

  it('never crashes on a number beyond int32 or beyond what JavaScript holds', async () => {
    for (const raw of [
      '{"text":"a","count":2147483648}',
      '{"text":"a","count":1e400}',
      '{"text":"a","count":123456789012345678901234567890}',
    ]) {
      expect((await call(server, '/v1/notes', { raw })).status).toBe(422);
    }
  });
});
