import { connect } from 'node:net';
import pino from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { atEnd } from '../../../test/support/cleanup.ts';
import { connectSocket } from '../../../test/support/json-socket.ts';
import { ApiError } from './errors.ts';
import {
  type AccessWatch,
  createHttpServer,
  type Idempotency,
  type OpenWork,
  parseMessage,
  requestErrors,
  route,
  type Scope,
  socket,
} from './index.ts';

const noIdempotency: Idempotency = { run: (_call, work) => work(), sweep: async () => 0 };
const scope = { principal: 'p', permissions: new Set(['echo']) } as unknown as Scope;
const Word = z.strictObject({ word: z.string() });

const echo = route({
  method: 'GET',
  path: '/v1/echo',
  operationId: 'echo',
  summary: 'Echoes words',
  permission: 'echo',
  query: z.strictObject({ refuse: z.string().optional(), fail: z.enum(['here', 'elsewhere']).optional() }),
  socket: true,
  handler: ({ query, requestId }) => {
    if (query.refuse) throw requestErrors.message_invalid(query.refuse);
    return socket(async ({ messages, send }) => {
      if (query.fail === 'here') throw new Error('A mistake.');
      if (query.fail) throw new ApiError(502, 'Not there.', { cause: new Error('It is gone.') });
      await send({ hello: requestId });
      for await (const message of messages) await send(parseMessage(Word, message));
      await send({ end: true });
    });
  },
});

const plain = route({
  method: 'GET',
  path: '/v1/plain',
  operationId: 'plain',
  summary: 'Answers',
  permission: 'echo',
  response: z.object({ plain: z.boolean() }),
  handler: () => ({ plain: true }),
});

async function serve() {
  const lines: string[] = [];
  const works: OpenWork[] = [];
  const access: AccessWatch = { changes: () => 0, open: (work) => works.push(work), close: () => undefined };
  const http = createHttpServer({
    routes: [echo, plain],
    authenticate: ({ authorization }) =>
      authorization === 'Bearer key' ? scope : authorization ? { ...scope, permissions: new Set() } : undefined,
    access,
    log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
    idempotency: noIdempotency,
  });
  const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
  atEnd(() => http.drain(0));
  return { ...http, url, key: 'key', works, lines };
}

describe('a WebSocket', () => {
  it('has the request id of its request, echoes in order, and is closed by either side', async () => {
    const server = await serve();
    const client = connectSocket(server, '/v1/echo', { headers: { 'x-request-id': 'my-id' } });
    expect(await client.next()).toEqual({ hello: 'my-id' });
    const words = Array.from({ length: 200 }, (_, index) => ({ word: `w${index}` }));
    for (const word of words) client.send(word);
    for (const word of words) expect(await client.next()).toEqual(word);
    client.close();
    expect(await client.closed).toBe(1005);
  });

  it('is refused with the status of an ordinary request: no key, no permission, a foreign host, no such path', async () => {
    const server = await serve();
    expect(await connectSocket({ url: server.url }, '/v1/echo').refused).toBe(401);
    expect(await connectSocket({ url: server.url, key: 'other' }, '/v1/echo').refused).toBe(403);
    expect(await connectSocket(server, '/v1/echo', { headers: { host: 'evil.example' } }).refused).toBe(403);
    expect(await connectSocket(server, '/v1/echo?unknown=1').refused).toBe(422);
    expect(await connectSocket(server, '/v1/nowhere').refused).toBe(404);
  });

  it('takes the key of a browser from the protocols that it offers, and chooses another of them', async () => {
    const { url } = await serve();
    const client = connectSocket({ url }, '/v1/echo', { protocols: ['tramontane', 'bearer.key'] });
    expect(await client.next()).toMatchObject({ hello: expect.any(String) });
    expect(await connectSocket({ url }, '/v1/echo', { protocols: ['tramontane', 'bearer.no'] }).refused).toBe(403);
  });

  it('whose handler refuses says why in its only message', async () => {
    const client = connectSocket(await serve(), '/v1/echo?refuse=never');
    expect(await client.rest()).toEqual([
      { type: 'error', error: { message: 'The message is not valid: never', code: 400 } },
    ]);
    expect(await client.closed).toBe(1008);
  });

  it.each([
    ['here', 500, 50, 'A mistake.'],
    ['elsewhere', 502, 40, 'It is gone.'],
  ])(
    'that fails %s ends with a sentence, and the log has the cause at its level',
    async (fail, code, level, message) => {
      const server = await serve();
      const client = connectSocket(server, `/v1/echo?fail=${fail}`);
      expect(await client.rest()).toMatchObject([{ type: 'error', error: { code } }]);
      expect(await client.closed).toBe(1011);
      expect(server.lines.map((line) => JSON.parse(line))).toMatchObject([{ level, err: { message } }]);
    },
  );

  it.each([
    ['is not JSON', '{', /JSON decode error/],
    ['is another object', '{"words":1}', /word: Field required/],
    ['has a key twice', '{"word":"a","word":"b"}', /JSON decode error/],
    ['is not text', Buffer.from([0xff, 0xfe]), /JSON decode error/],
  ])('ends with a sentence when a message %s', async (_, message, words) => {
    const client = connectSocket(await serve(), '/v1/echo');
    await client.next();
    client.sendRaw(message);
    expect(await client.next()).toMatchObject({ type: 'error', error: { message: expect.stringMatching(words) } });
    expect(await client.closed).toBe(1008);
  });

  it('on which nothing is said for minutes ends with a sentence, and a word in time keeps it open', async () => {
    const server = await serve();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const client = connectSocket(server, '/v1/echo');
      await client.next();
      vi.advanceTimersByTime(4 * 60_000);
      client.send({ word: 'here' });
      expect(await client.next()).toEqual({ word: 'here' });
      vi.advanceTimersByTime(4 * 60_000);
      client.send({ word: 'still' });
      expect(await client.next()).toEqual({ word: 'still' });
      vi.advanceTimersByTime(5 * 60_000);
      expect(await client.next()).toMatchObject({ type: 'error', error: { message: expect.any(String) } });
      expect(await client.closed).toBeGreaterThan(1000);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is closed when a message is larger than any may be', async () => {
    const client = connectSocket(await serve(), '/v1/echo');
    await client.next();
    client.send({ word: 'x'.repeat(5_000_000) });
    expect(await client.closed).toBe(1009);
  });

  it('of a caller who lost the access ends with the reason', async () => {
    const server = await serve();
    const client = connectSocket(server, '/v1/echo');
    await client.next();
    server.works[0]?.end(requestErrors.access_lost('its API key was deleted') as ApiError);
    expect(await client.next()).toMatchObject({
      error: { message: 'This ended because its API key was deleted.', code: 401 },
    });
    expect(await client.closed).toBe(1008);
  });

  it('finishes what it has begun when the server stops, and no new one is accepted', async () => {
    const server = await serve();
    const client = connectSocket(server, '/v1/echo');
    await client.next();
    const drained = server.drain(10_000);
    expect(await client.rest()).toEqual([{ end: true }]);
    expect(await client.closed).toBe(1001);
    await drained;
  });

  it('is what its path is for: a plain request gets 426, and an upgrade to something else is served as it is', async () => {
    const server = await serve();
    const headers = { authorization: 'Bearer key' };
    const asked = await fetch(`${server.url}/v1/echo`, { headers });
    expect([asked.status, asked.headers.get('upgrade')]).toEqual([426, 'websocket']);
    const { port } = new URL(server.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const client = connect(Number(port), '127.0.0.1', () =>
        client.write(
          'GET /v1/plain HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n',
        ),
      );
      client.once('data', (data) => {
        resolve(data.toString());
        client.destroy();
      });
      client.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\{"plain":true\}$/);
  });
});
