import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHeartbeats } from '../http/heartbeats.ts';
import { SSE_HEADERS, type SseEvent, writeSse } from '../http/sse.ts';
import { StreamConnection } from '../http/stream-connection.ts';
import { turns } from './events-for-tests.ts';

describe('the frames of a stream', () => {
  it.each<[string, SseEvent, string]>([
    [
      'an id, a name and JSON',
      { id: 7, event: 'said', data: { a: 'x\ny' } },
      'id: 7\nevent: said\ndata: {"a":"x\\ny"}\n\n',
    ],
    ['an id of zero', { id: 0, data: 1 }, 'id: 0\ndata: 1\n\n'],
    ['data alone', { data: null }, 'data: null\n\n'],
    ['text as it is', { data: '[DONE]' }, 'data: [DONE]\n\n'],
    ['text of many lines, a field for each', { data: 'a\nb\r\nc\rd' }, 'data: a\ndata: b\ndata: c\ndata: d\n\n'],
    ['empty text', { event: 'end', data: '' }, 'event: end\ndata: \n\n'],
  ])('carry %s', async (_, event, frame) => {
    const { url, close } = await serve(async function* () {
      yield event;
    });
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(await response.text()).toBe(frame);
    await close();
  });

  it('are preceded by the headers even when no event comes', async () => {
    const never = Promise.withResolvers<void>();
    // biome-ignore lint/correctness/useYield: it waits for ever
    const { url, close } = await serve(async function* () {
      await never.promise;
    });
    const response = await fetch(url);
    expect(response.status).toBe(200);
    never.resolve();
    expect(await response.text()).toBe('');
    await close();
  });
});

describe('a client that leaves', () => {
  it('ends the generator at the next event, and its cleanup runs', async () => {
    const cleaned = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const { url, server, close } = await serve(async function* () {
      try {
        yield { data: 'first' };
        await left.promise;
        for (;;) yield { data: 'more' };
      } finally {
        cleaned.resolve();
      }
    });
    server.on('connection', (socket) => socket.once('close', () => left.resolve()));
    const controller = new AbortController();
    const response = await fetch(url, { signal: controller.signal });
    await response.body?.getReader().read();
    controller.abort();
    await cleaned.promise;
    await close();
  });

  it('ends the generator while it is held back by a full connection', async () => {
    const cleaned = Promise.withResolvers<void>();
    let made = 0;
    const { url, close } = await serve(async function* () {
      try {
        for (;;) {
          made++;
          yield { data: 'x'.repeat(64 * 1024) };
        }
      } finally {
        cleaned.resolve();
      }
    });
    const response = await open(url);
    await settled(() => made, url);
    response.destroy();
    await cleaned.promise;
    await close();
  });
});

describe('a client that does not read', () => {
  const EVENT_BYTES = 64 * 1024;
  const TOTAL = 1000;
  let made = 0;
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve(async function* () {
      for (let id = 1; id <= TOTAL; id++) {
        made = id;
        yield { id, data: 'x'.repeat(EVENT_BYTES) };
      }
    }, 1);
  });
  afterAll(() => server.close());

  it('stops the generator and loses nothing when it reads on; heartbeats do not pile up meanwhile', async () => {
    const response = await open(server.url);
    const held = await settled(() => made, server.url);
    // What was made lies in the buffers of the two sockets, far from the whole stream.
    expect(held).toBeLessThan(TOTAL / 2);
    const memory = process.memoryUsage().arrayBuffers;
    await turns(2000);
    expect(made).toBe(held);
    expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(EVENT_BYTES * 16);

    let text = '';
    response.setEncoding('latin1');
    for await (const chunk of response) text += chunk.replaceAll('x', '');
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: TOTAL }, (_, i) => i + 1));
  });
});

describe('heartbeats', () => {
  it('are comments between events, for as long as the stream is open', async () => {
    const end = Promise.withResolvers<void>();
    const { url, close } = await serve(async function* () {
      yield { id: 1, data: 'before' };
      await end.promise;
      yield { id: 2, data: 'after' };
    }, 2);
    const response = await open(url);
    response.setEncoding('utf8');
    let text = '';
    for await (const chunk of response) {
      text += chunk;
      if (text.split(': heartbeat\n\n').length > 3) end.resolve();
    }
    expect(text).toMatch(/^(: heartbeat\n\n)*id: 1\ndata: before\n\n(: heartbeat\n\n){3,}id: 2\ndata: after\n\n$/);
    await close();
  });

  it('do not keep streams that have ended, while others stay open', async () => {
    const heartbeats = createHeartbeats();
    const make = () => ({ beat: () => undefined });
    const open = make();
    heartbeats.add(open);
    const ended = Array.from({ length: 200 }, () => {
      const stream = make();
      heartbeats.add(stream);
      heartbeats.remove(stream);
      return new WeakRef(stream);
    });
    await turns(5);
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    expect(ended.filter((stream) => stream.deref())).toEqual([]);
    heartbeats.stop();
  });

  it('are written a few at a time, however many streams are open, so that other requests come between', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const heartbeats = createHeartbeats(15_000);
    const beats = new Map<number, number>();
    const beat = () => void beats.set(performance.now(), (beats.get(performance.now()) ?? 0) + 1);
    for (let n = 0; n < 10_000; n++) heartbeats.add({ beat });
    vi.advanceTimersByTime(15_100);
    heartbeats.stop();
    const written = [...beats.values()];
    expect(written.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(9900);
    expect(Math.max(...written)).toBeLessThanOrEqual(8);
  });

  it('come as often when other streams come and go', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const heartbeats = createHeartbeats(1000);
    const beats = Array.from({ length: 30 }, () => 0);
    const make = (beat: () => void) => ({ beat });
    for (const [index] of beats.entries())
      heartbeats.add(make(() => void beats.splice(index, 1, (beats[index] ?? 0) + 1)));
    for (let ms = 0; ms < 10_000; ms += 100) {
      const passing = make(() => undefined);
      heartbeats.add(passing);
      vi.advanceTimersByTime(100);
      heartbeats.remove(passing);
    }
    heartbeats.stop();
    expect(Math.min(...beats)).toBeGreaterThanOrEqual(9);
    expect(Math.max(...beats)).toBeLessThanOrEqual(11);
  });
});

/** A plain server that answers every request with the stream, and `/ping` with a word. */
async function serve(events: () => AsyncIterable<SseEvent>, heartbeatMs?: number) {
  const heartbeats = createHeartbeats(heartbeatMs);
  const server: Server = createServer((request, response) => {
    if (request.url === '/ping') return void response.end('pong');
    response.writeHead(200, SSE_HEADERS).flushHeaders();
    const stream = new StreamConnection(response, '');
    heartbeats.add(stream);
    void writeSse(events(), stream, { ended: heartbeats.remove, failed: () => undefined });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      heartbeats.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Unlike fetch, this reads from the socket only when asked. */
function open(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.on('error', () => undefined);
      resolve(response);
    }).on('error', reject);
  });
}

/** The value once it has not moved during a hundred requests to the same server. */
async function settled(value: () => number, url: string): Promise<number> {
  for (;;) {
    const before = value();
    for (let i = 0; i < 100; i++) await (await fetch(`${url}ping`)).text();
    if (before > 0 && value() === before) return before;
  }
}
