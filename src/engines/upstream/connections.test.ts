import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../kit/outbound/index.ts';
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

  function ask(signal = new AbortController().signal, from = origin): Promise<Exchange> {
    const limits = { firstByteTimeoutMs: 5000, idleTimeoutMs: 5000 };
    return exchange({ connections, origin: from, path: '/', headers: {}, body: '{}', signal, ...limits });
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
      return exchange({ connections: pool, origin: from, path: '/', headers: {}, body: '{}', signal, ...limits });
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
    const client = connections.take(origin);
    const noticed = once(client, 'disconnect');
    server.closeAllConnections();
    await noticed;
    connections.giveBack(origin, client, true);
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
});
