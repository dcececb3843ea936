import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { onSqliteFirst } from '../../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import type { Database } from '../db/index.ts';
import { createHttpServer, createIdempotency, type HttpServer, route, sse } from '../http/index.ts';
import { until } from './events-for-tests.ts';
import { createEvents, type Events, resumePoint, type StoredEvent, toSse } from './index.ts';

onSqliteFirst('events over HTTP', (test) => {
  let database: Database;
  let events: Events;
  let http: HttpServer;
  let address: string;
  /** Tails that have not ended, seen from the server. */
  let open = 0;

  async function* frames(tail: AsyncIterable<StoredEvent>) {
    open++;
    try {
      for await (const event of tail) yield toSse(event);
    } finally {
      open--;
    }
  }

  beforeAll(async () => {
    database = await test.open();
    events = createEvents({ database, now: systemClock, pageSize: 3 });
    http = createHttpServer({
      routes: [
        route({
          method: 'GET',
          path: '/streams/:stream',
          operationId: 'stream',
          summary: 'Tail a stream to its end',
          permission: 'public',
          params: z.strictObject({ stream: z.string() }),
          handler: ({ params, lastEventId, signal }) => {
            const isLast = ({ type }: StoredEvent) => type === 'ended';
            return sse(frames(events.tail(params.stream, { after: resumePoint(lastEventId), signal, until: isLast })));
          },
        }),
      ],
      authenticate: () => undefined,
      log: pino({ enabled: false }),
      idempotency: createIdempotency(database, systemClock),
      heartbeatMs: 2,
    });
    await http.app.listen({ host: '127.0.0.1', port: 0 });
    address = `http://127.0.0.1:${(http.app.server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await events.stop();
    // fetch may hold a connection on which it never sent a request, and nothing else would close that one.
    http.app.server.closeAllConnections();
    await http.drain(1000);
    await database.close();
  });

  const append = (stream: string, ...types: string[]) =>
    database.transaction((tx) =>
      events.append(
        tx,
        stream,
        types.map((type, i) => ({ type, data: { i } })),
      ),
    );
  const request = (stream: string, lastEventId?: string, signal?: AbortSignal) =>
    fetch(`${address}/streams/${stream}`, {
      headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
      signal: signal ?? null,
    });
  const withoutHeartbeats = (text: string) => text.replaceAll(': heartbeat\n\n', '');

  it('are framed with their number, type and data, and the stream ends after the last', async () => {
    await append('framed', 'began', 'said', 'ended');
    const response = await request('framed');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect(withoutHeartbeats(await response.text())).toBe(
      'id: 1\nevent: began\ndata: {"i":0}\n\nid: 2\nevent: said\ndata: {"i":1}\n\nid: 3\nevent: ended\ndata: {"i":2}\n\n',
    );
  });

  it('resume by Last-Event-ID: a client that reconnects after every event sees each once', async () => {
    await append('resumed', 'began', 'said', 'said', 'said', 'said', 'said', 'ended');
    const seen: string[] = [];
    for (let last = '0'; last !== '7'; ) {
      const controller = new AbortController();
      const response = await request('resumed', last, controller.signal);
      last = await firstId(response);
      controller.abort();
      seen.push(last);
    }
    expect(seen).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  });

  it('refuse a Last-Event-ID that is no number with 400 and a sentence', async () => {
    const response = await request('resumed', 'abc');
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Last-Event-ID must be');
  });

  it('arrive live, with heartbeats while nothing happens', async () => {
    const response = await request('live');
    let text = '';
    let heard = 0;
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      heard += chunk.includes(': heartbeat\n\n') ? 1 : 0;
      if (heard === 3) await append('live', 'said', 'ended');
    }
    expect(text).toMatch(/^(: heartbeat\n\n){3,}/);
    expect(withoutHeartbeats(text)).toMatch(/^id: 1\nevent: said\n.*\n\nid: 2\nevent: ended\n.*\n\n$/);
  });

  it('stop being read for a client that left while nothing happened', async () => {
    // The clients of earlier tests have left, but the server may not have heard of it yet.
    await until(() => open === 0);
    const controller = new AbortController();
    await request('left', undefined, controller.signal);
    expect(open).toBe(1);
    controller.abort();
    await until(() => open === 0);
  });
});

async function firstId(response: Response): Promise<string> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const id = /^id: (\d+)$/m.exec(text)?.[1];
    if (id && text.includes('\n\n', text.indexOf('id:'))) return id;
  }
  throw new Error('The stream ended without an event.');
}
