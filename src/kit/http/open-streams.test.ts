import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { requestErrors } from './request-errors.ts';
import { route } from './route.ts';
import type { OpenWork, Scope } from './scope.ts';
import { createHttpServer, type HttpServerOptions } from './server.ts';
import { type SseEvent, sse } from './sse.ts';

const SCOPE = { principal: 'p', permissions: new Set(['read']) } as unknown as Scope;

/** A source that waits until a test gives it events. */
function createSource() {
  let given: SseEvent[] = [];
  let news = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  let isOver = false;
  let made = 0;
  return {
    left: left.promise,
    made: () => made,
    give(...events: SseEvent[]) {
      given.push(...events);
      news.resolve();
    },
    end() {
      isOver = true;
      news.resolve();
    },
    async *events(signal: AbortSignal): AsyncGenerator<SseEvent> {
      signal.addEventListener('abort', () => news.resolve());
      try {
        while (!isOver && !signal.aborted) {
          await news.promise;
          news = Promise.withResolvers();
          const ready = given;
          given = [];
          for (const event of ready) {
            made++;
            yield event;
          }
        }
      } finally {
        left.resolve();
      }
    },
  };
}

/** A server with one stream, and its connections. */
async function serve(options: Partial<HttpServerOptions> & { resumable?: boolean } = {}) {
  const source = createSource();
  const watched: OpenWork[] = [];
  const offered: unknown[] = [];
  const http = createHttpServer({
    routes: [
      route({
        method: 'GET',
        path: '/stream',
        operationId: 'stream',
        summary: 'A stream',
        permission: 'read',
        handler: ({ signal }) => sse(source.events(signal), { resumable: options.resumable ?? false }),
      }),
      route({
        method: 'GET',
        path: '/word',
        operationId: 'word',
        summary: 'A word',
        permission: 'public',
        response: z.strictObject({ word: z.string() }),
        handler: () => ({ word: 'here' }),
      }),
    ],
    authenticate: (credentials) => {
      offered.push(credentials.authorization);
      return SCOPE;
    },
    access: { changes: () => 0, open: (work) => void watched.push(work), close: () => undefined },
    log: pino({ enabled: false }),
    idempotency: undefined as never,
    ...options,
  });
  const accepted: Socket[] = [];
  http.app.server.on('connection', (socket) => void accepted.push(socket));
  await http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = http.app.server.address() as AddressInfo;
  onTestFinished(async () => {
    source.end();
    await http.drain(0);
  });
  return {
    http,
    source,
    watched,
    offered,
    accepted,
    port,
    url: `http://127.0.0.1:${port}`,
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** What comes on a connection, as it is on the wire. */
function openRaw(port: number, request: string) {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(request);
  return { socket, text: () => text, shows: (part: string) => until(() => text.includes(part)) };
}

const STREAM = 'GET /stream HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer k\r\n\r\n';
const WORD = 'GET /word HTTP/1.1\r\nhost: localhost\r\n\r\n';

it('the connection of a stream serves the next request', async () => {
  const { source, url } = await serve();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async (path: string) => {
    const request = get(`${url}${path}`, { agent });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { request, response: response.setEncoding('utf8') };
  };
  const { response } = await ask('/stream');
  source.give({ data: 'last' });
  source.end();
  expect((await response.toArray()).join('')).toBe('data: last\n\n');
  for (const _ of [1, 2]) {
    const next = await ask('/word');
    expect(next.request.reusedSocket).toBe(true);
    expect((await next.response.toArray()).join('')).toBe('{"word":"here"}');
  }
});

it('the connection of a stream is closed after the stream if the client asked for that', async () => {
  const { source, port } = await serve();
  const client = openRaw(port, STREAM.replace('host', 'connection: close\r\nhost'));
  await client.shows('\r\n\r\n');
  source.end();
  await once(client.socket, 'close');
  expect(client.text()).toMatch(/\r\n\r\n0\r\n\r\n$/);
});

it('a request that comes during the stream is answered after it', async () => {
  const { source, port } = await serve();
  const client = openRaw(port, STREAM);
  await client.shows('\r\n\r\n');
  client.socket.write(WORD);
  source.give({ data: 'first' });
  await client.shows('first');
  source.end();
  await client.shows('{"word":"here"}');
  expect(client.text()).toMatch(/0\r\n\r\nHTTP\/1.1 200 OK\r\n/);
});

it('a client of HTTP/1.0 gets its stream without chunks', async () => {
  const { source, port } = await serve();
  const client = openRaw(port, STREAM.replace('HTTP/1.1', 'HTTP/1.0'));
  await client.shows('\r\n\r\n');
  source.give({ data: 'whole' });
  source.end();
  await once(client.socket, 'close');
  expect(client.text()).toMatch(/\r\n\r\ndata: whole\n\n$/);
});

it.each<[string, (socket: Socket) => void]>([
  ['leaves', (socket) => void socket.destroy()],
  ['breaks off', (socket) => void socket.resetAndDestroy()],
  ['says that it is done', (socket) => void socket.end()],
])('ends at once when its client %s', async (_, leave) => {
  const observed: string[] = [];
  const observer = { onResponse: (_request: unknown, _reply: unknown, path: string) => void observed.push(path) };
  const { http, source, port, accepted } = await serve({ observers: [observer] });
  const client = openRaw(port, STREAM);
  await client.shows('\r\n\r\n');
  leave(client.socket);
  await source.left;
  await until(() => accepted.every(({ destroyed }) => destroyed));
  // Nothing runs any more, so this does not wait.
  await http.drain(60_000);
  expect(observed).toEqual([]);
});

it('has heartbeats', async () => {
  const { port } = await serve({ heartbeatMs: 5 });
  const client = openRaw(port, STREAM);
  await client.shows('\r\n\r\n');
  const before = client.text();
  await until(() => client.text().slice(before.length).split('d\r\n: heartbeat\n\n\r\n').length > 3);
});

it('stops its source while the client does not read, and loses nothing', async () => {
  const { source, port } = await serve({ heartbeatMs: 1 });
  const client = openRaw(port, STREAM);
  await client.shows('\r\n\r\n');
  client.socket.pause();
  const total = 400;
  source.give(...Array.from({ length: total }, (_, at) => ({ id: at + 1, data: 'x'.repeat(64 * 1024) })));
  let made = -1;
  while (source.made() !== made) {
    made = source.made();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(made).toBeLessThan(total / 2);
  client.socket.resume();
  source.end();
  await client.shows('\r\n0\r\n\r\n');
  const ids = [...client.text().matchAll(/\nid: (\d+)\n/g)].map(([, id]) => Number(id));
  expect(ids).toEqual(Array.from({ length: total }, (_, at) => at + 1));
});

it('ends with an error event when its caller loses its access, found by the same key', async () => {
  const { source, port, watched, offered } = await serve();
  const client = openRaw(port, STREAM);
  await client.shows('\r\n\r\n');
  offered.length = 0;
  for (const work of watched) expect(work.again()).toBe(SCOPE);
  expect(offered).toEqual(['Bearer k']);
  for (const work of watched) work.end(requestErrors.unauthorized());
  await source.left;
  await client.shows('\r\n0\r\n\r\n');
  expect(client.text()).toContain('event: error\ndata: {"object":"error"');
});

it('is observed when it is complete, with the time that it took', async () => {
  const observed: unknown[] = [];
  const observer: NonNullable<HttpServerOptions['observers']>[number] = {
    onResponse: ({ method, headers, id }, { statusCode }, path, elapsedMs) =>
      void observed.push([method, headers.authorization, id, statusCode, path, elapsedMs > 0]),
  };
  const { source, port } = await serve({ observers: [observer] });
  const client = openRaw(port, STREAM.replace('host', 'x-request-id: its-own\r\nhost'));
  await client.shows('\r\n\r\n');
  source.end();
  await client.shows('\r\n0\r\n\r\n');
  await until(() => observed.length > 0);
  expect(observed).toEqual([['GET', 'Bearer k', 'its-own', 200, '/stream', true]]);
});

it('ends with the server if it can be resumed, and is cut off after the limit if not', async () => {
  const resumable = await serve({ resumable: true });
  const client = openRaw(resumable.port, STREAM);
  await client.shows('\r\n\r\n');
  await Promise.all([once(client.socket, 'close'), resumable.http.drain(60_000)]);
  expect(client.text()).toMatch(/\r\n\r\n0\r\n\r\n$/);

  const other = await serve();
  const cut = openRaw(other.port, STREAM);
  await cut.shows('\r\n\r\n');
  const closed = once(cut.socket, 'close');
  await other.http.drain(20);
  await closed;
  expect(cut.text()).toMatch(/\r\n\r\n$/);
  expect(cut.text()).not.toContain('0\r\n\r\n');
});

it('counts as a connection of a process that retires', async () => {
  const { http, source } = await serve();
  const accept = await http.acceptShared();
  const listener = createServer({ pauseOnConnect: true }, accept).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  const client = openRaw((listener.address() as AddressInfo).port, STREAM);
  await client.shows('\r\n\r\n');
  let isRetired = false;
  const retired = http.retire(60_000).then(() => {
    isRetired = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(isRetired).toBe(false);
  source.end();
  await client.shows('\r\n0\r\n\r\n');
  client.socket.write(WORD);
  await Promise.all([once(client.socket, 'close'), retired]);
  expect(client.text()).toContain('{"word":"here"}');
});
