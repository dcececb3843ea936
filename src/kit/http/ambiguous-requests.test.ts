import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { ApiError } from './errors.ts';
import { findDuplicateHeader } from './find-duplicate-header.ts';
import { route } from './route.ts';

let server: TestServer;
beforeAll(async () => {
  const surprising = route({
    method: 'GET',
    path: '/v1/surprise',
    operationId: 'surprise',
    summary: 'Returns an error that its table does not have',
    permission: 'public',
    handler: () => {
      throw new ApiError(410, 'gone');
    },
  });
  server = await startTestServer(sqliteForTests(), { extraRoutes: () => [surprising] });
});

/** Sends the bytes of a request on a connection of its own. */
async function send(line: string, headers: string[], body = ''): Promise<{ status: number; text: string }> {
  const { port, hostname } = new URL(server.url);
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write([line, ...headers, 'connection: close', '', body].join('\r\n')),
    );
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('end', () => resolve(received));
    socket.on('error', reject);
  });
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]), text };
}

const host = () => `host: ${new URL(server.url).host}`;
const key = () => `authorization: Bearer ${server.key}`;

describe('400', () => {
  it.each([
    ['two hosts', () => [host(), 'Host: evil.example', key()]],
    ['the same host twice', () => [host(), host(), key()]],
    ['two keys', () => [host(), key(), 'Authorization: Bearer tmk_other']],
    ['two keys as x-api-key', () => [host(), `x-api-key: ${server.key}`, 'X-Api-Key: tmk_other']],
    ['two workspaces', () => [host(), key(), 'x-tramontane-workspace: a', 'x-tramontane-workspace: b']],
    ['two origins', () => [host(), key(), `origin: ${server.url}`, 'origin: https://evil.example']],
  ])('is the response to %s', async (_what, headers) => {
    const answer = await send('GET /v1/users/me HTTP/1.1', headers());
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('was sent twice')]);
  });

  it.each([
    ['two media types', ['content-type: application/json', 'content-type: text/plain', 'content-length: 2']],
    ['two lengths', ['content-type: application/json', 'content-length: 2', 'content-length: 2']],
    ['a length and chunks', ['content-type: application/json', 'content-length: 2', 'transfer-encoding: chunked']],
    ['two encodings', ['content-type: application/json', 'transfer-encoding: chunked', 'transfer-encoding: chunked']],
    ['two idempotency keys', ['content-length: 2', 'idempotency-key: a', 'idempotency-key: b']],
  ])('is the response to a body with %s', async (_what, headers) => {
    const answer = await send('POST /v2/prompts HTTP/1.1', [host(), key(), ...headers], '{}');
    expect(answer.status).toBe(400);
  });

  it('is the response to two hosts on the probes and on paths that do not exist', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/nowhere', '/console/'])
      expect((await send(`GET ${path} HTTP/1.1`, [host(), 'host: evil.example'])).status).toBe(400);
  });

  it('is the response to a whole address of another host, and 200 to one of the same host', async () => {
    const { host: own } = new URL(server.url);
    const ask = async (target: string) => (await send(`GET ${target} HTTP/1.1`, [host(), key()])).status;
    expect(await ask(`http://${own}/v1/users/me`)).toBe(200);
    for (const target of ['http://evil.example/v1/users/me', 'http://127.0.0.1:1/v1/users/me', 'evil:/v1/users/me'])
      expect([target, await ask(target)]).toEqual([target, 400]);
  });
});

it('a header that is a list may come in parts', () => {
  expect(findDuplicateHeader(['Accept', 'a', 'accept', 'b', 'X-Forwarded-For', '1', 'x-forwarded-for', '2'])).toBe(
    undefined,
  );
  expect(findDuplicateHeader(['HOST', 'a', 'Accept', 'b', 'host', 'a'])).toBe('host');
});

it('a status that the document does not have for its route fails the tests that see it', async () => {
  expect((await call(server, '/v1/surprise')).status).toBe(500);
});
