import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createListener, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../kit/outbound/index.ts';
import { chunksOf } from './body-chunks.ts';
import { createUpstreamConnections, type UpstreamConnections } from './connections.ts';
import { type Exchange, exchange } from './exchange.ts';

describe('connections to a model server', () => {
  let connections: UpstreamConnections;
  let opened = 0;
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => void waiting.push(response));
  server.on('connection', () => opened++);
  let origin = '';

  beforeEach(async () => {
    connections = createUpstreamConnections();
    opened = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await connections.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function ask(signal = new AbortController().signal, from = origin, timeoutMs = 5000): Promise<Exchange> {
    const limits = { firstByteTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs };
    return exchange({ connections, origin: from, basePath: '', path: '/', headers: {}, body: '{}', signal, ...limits });
  }

  async function arrived(count: number): Promise<void> {
    while (waiting.length < count) await new Promise<unknown>((resolve) => server.once('request', resolve));
  }

  async function answerAll(asked: Promise<Exchange>[]): Promise<string[]> {
    await arrived(asked.length);
    for (const response of waiting.splice(0)) response.end('{}');
    return Promise.all(asked.map(async (answer) => (await answer).text(100)));
  }

  it('are kept for the next request, and none is shared by two that run', async () => {
    for (let i = 0; i < 3; i++) expect(await answerAll([ask()])).toEqual(['{}']);
    expect(opened).toBe(1);
    expect(await answerAll([ask(), ask(), ask()])).toEqual(['{}', '{}', '{}']);
    expect(opened).toBe(3);
  });

  it('behind a guard reach no private address, not even under a name that resolves to one', async () => {
    const { port } = new URL(origin);
    const guarded = (allow: string[]) =>
      createUpstreamConnections({ guard: createAddressGuard(allow, async () => ['127.0.0.1']) });
    const through = (pool: UpstreamConnections, from: string) => {
      const limits = { firstByteTimeoutMs: 5000, idleTimeoutMs: 5000 };
      const { signal } = new AbortController();
      return exchange({
        connections: pool,
        origin: from,
        basePath: '',
        path: '/',
        headers: {},
        body: '{}',
        signal,
        ...limits,
      });
    };
    const closed = guarded([]);
    const open = guarded(['127.0.0.0/8']);
    for (const from of [origin, `http://models.example.com:${port}`]) {
      await expect(through(closed, from)).rejects.toThrow();
      expect(await closed.permits(new URL(from))).toBe(false);
      expect(await open.permits(new URL(from))).toBe(true);
      expect(await answerAll([through(open, from)])).toEqual(['{}']);
    }
    expect(opened).toBe(2);
    await closed.close();
    await open.close();
  });

  it('that a server has closed are opened again', async () => {
    await answerAll([ask()]);
    const connection = connections.take(origin);
    expect(connection.isUsable()).toBe(true);
    server.closeAllConnections();
    while (connection.isUsable()) await new Promise((resolve) => setImmediate(resolve));
    connections.giveBack(origin, connection);
    expect(await answerAll([ask()])).toEqual(['{}']);
    expect(opened).toBe(2);
  });

  it('whose request was given up while it ran serve the next one', async () => {
    const left = new AbortController();
    const asked = ask(left.signal).catch((error: Error) => error.name);
    await arrived(1);
    left.abort();
    expect(await asked).toBe('AbortError');
    waiting.length = 0;
    expect(await answerAll([ask()])).toEqual(['{}']);
  });

  it('that are still being made when their request is given up hold nobody up', async () => {
    // Nobody accepts beyond the backlog, so a connection may stay half open.
    const deaf = createListener();
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`;
    const taken: unknown[] = [];
    const { take } = connections;
    connections.take = (from) => {
      const client = take(from);
      taken.push(client);
      return client;
    };
    for (let i = 0; i < 2; i++) {
      const left = new AbortController();
      const asked = ask(left.signal, address).catch((error: Error) => error.name);
      left.abort();
      expect(await asked).toBe('AbortError');
    }
    expect(new Set(taken).size).toBe(2);
    deaf.close();
  });

  /** What a server says to each request that arrives, byte for byte. */
  async function say(answer: (socket: Socket) => void, times: number, timeoutMs?: number) {
    let count = 0;
    const raw = createListener((socket) => {
      count++;
      socket.on('error', () => undefined);
      socket.on('data', () => answer(socket));
    });
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(raw.address() as AddressInfo).port}`;
    const outcomes: string[] = [];
    for (let i = 0; i < times; i++) {
      const outcome = ask(undefined, address, timeoutMs).then((answered) => answered.text(100));
      outcomes.push(await outcome.catch((error: Error & { code?: string }) => error.code ?? error.name));
    }
    raw.close();
    return { opened: count, outcomes };
  }
  const HEAD = 'HTTP/1.1 200 OK\r\n';

  it.each([
    ['says that it closes them', `${HEAD}connection: close\r\ncontent-length: 2\r\n\r\n{}`],
    ['keeps them for a second only', `${HEAD}keep-alive: timeout=1\r\ncontent-length: 2\r\n\r\n{}`],
    ['sends more than it said', `${HEAD}content-length: 2\r\n\r\n{}{}`],
  ])('are not used again when the server %s', async (_, text) => {
    expect(await say((socket) => void socket.write(text), 2)).toEqual({ opened: 2, outcomes: ['{}', '{}'] });
  });

  it('carry a body that ends with them', async () => {
    expect(await say((socket) => void socket.end(`${HEAD}\r\n{}`), 2)).toEqual({ opened: 2, outcomes: ['{}', '{}'] });
  });

  it('that break off, or bring something else than HTTP, fail their request only', async () => {
    const cut = (socket: Socket) => void socket.end(`${HEAD}content-length: 5\r\n\r\n{}`);
    expect((await say(cut, 2)).outcomes).toEqual(['ECONNRESET', 'ECONNRESET']);
    expect((await say((socket) => void socket.end(), 1)).outcomes).toEqual(['ECONNRESET']);
    expect((await say((socket) => void socket.write('SSH-2.0-x\r\n\r\n'), 1)).outcomes).toEqual(['RESPONSE_INVALID']);
  });

  it('do not wait longer for a head that comes byte by byte', async () => {
    const drip = (socket: Socket) => {
      const timer = setInterval(() => void socket.write('H'), 10);
      socket.once('close', () => clearInterval(timer));
    };
    expect((await say(drip, 1, 100)).outcomes).toEqual(['RESPONSE_TIMEOUT']);
  });

  it('wait for a reader that paused, lose nothing, and serve the next request', async () => {
    const asked = ask();
    await arrived(1);
    const piece = Buffer.alloc(64 * 1024, 'x');
    for (const response of waiting.splice(0)) {
      for (let i = 0; i < 64; i++) response.write(piece);
      response.end();
    }
    const chunks = chunksOf(await asked);
    let bytes = (await chunks.next()).value?.length ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 20));
    for await (const chunk of chunks) bytes += chunk.length;
    expect(bytes).toBe(64 * piece.length);
    expect(await answerAll([ask()])).toEqual(['{}']);
    expect(opened).toBe(1);
  });
});
