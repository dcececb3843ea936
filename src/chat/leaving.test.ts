import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { countOwnMs } from '../../test/support/own-time.ts';
import {
  type ChatServer,
  deltaChunk,
  engineFor,
  hello,
  serveChat,
  startEvents,
  startUpstream,
  textEvents,
} from './chat-for-tests.ts';

async function serveHeld() {
  const upstream = await startUpstream();
  const held: ServerResponse[] = [];
  upstream.answerWith((call, response) => {
    held.push(response);
    if (!call.body.stream) return;
    startEvents(response);
    response.write(`data: ${JSON.stringify(deltaChunk({ content: 'x'.repeat(40) }))}\n\n`);
  });
  const server = await serveChat({ small: engineFor(upstream) });
  return { upstream, server, held };
}

function ask(server: ChatServer, body: object, signal: AbortSignal): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    body: JSON.stringify(body),
    signal,
  });
}

describe('when the client leaves', () => {
  it('a stream is cancelled at the server at once, and what was used is billed [CHAT-CANCEL]', async () => {
    const { server, held } = await serveHeld();
    const leave = new AbortController();
    const answer = await ask(server, { ...hello, stream: true }, leave.signal);
    await answer.body?.getReader().read();
    const closed = once(held[0] as ServerResponse, 'close');
    const ranMs = countOwnMs();
    leave.abort();
    await closed;
    expect(ranMs()).toBeLessThan(500);
    await vi.waitFor(() => expect(server.usage).toHaveLength(1));
    expect(server.usage[0]).toMatchObject({ status: 499, usage: { promptTokens: 2, completionTokens: 10 } });
  });

  it('a whole answer is cancelled too', async () => {
    const { server, held } = await serveHeld();
    const leave = new AbortController();
    const answer = ask(server, hello, leave.signal);
    await vi.waitFor(() => expect(held).toHaveLength(1));
    const closed = once(held[0] as ServerResponse, 'close');
    leave.abort();
    await expect(answer).rejects.toThrow();
    await closed;
    await vi.waitFor(() => expect(server.usage).toMatchObject([{ status: 499, usage: { promptTokens: 2 } }]));
    expect(server.logs.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });
});

/** Reads a little and then nothing; the kernel's buffers fill and the rest must wait at its source. */
async function readSlowly(server: ChatServer, body: object) {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const text = JSON.stringify(body);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer x\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  await once(socket, 'readable');
  socket.read(1);
  return socket;
}

describe('a reader of one byte now and then', () => {
  it('does not grow memory, and does not slow the others', async () => {
    const upstream = await startUpstream();
    const big = `data: ${JSON.stringify(deltaChunk({ content: 'x'.repeat(1000) }))}\n\n`.repeat(60);
    let written = 0;
    let isFlooding = true;
    upstream.answerWith((call, response) => {
      if ((call.body.messages as { content: string }[])[0]?.content !== 'flood') return textEvents(response, ['quick']);
      startEvents(response);
      const flood = () => {
        while (isFlooding && !response.destroyed) {
          written += big.length;
          if (!response.write(big)) return void response.once('drain', flood);
        }
      };
      flood();
    });
    const server = await serveChat({ small: engineFor(upstream) });
    const slow = await readSlowly(server, { ...hello, stream: true, messages: [{ role: 'user', content: 'flood' }] });
    const settled = async () => {
      for (let last = -1; last !== written; await new Promise((resolve) => setTimeout(resolve, 300))) last = written;
    };
    await settled();
    const stalledAt = written;
    const times: number[] = [];
    const ranMs = countOwnMs();
    for (let index = 0; index < 20; index++) {
      slow.read(1);
      const before = ranMs();
      const { status } = await call(server, '/v1/chat/completions', { body: { ...hello, stream: true } });
      expect(status).toBe(200);
      times.push(ranMs() - before);
    }
    // What both kernels hold is a few MiB; without backpressure the flood would have gone on for ever.
    expect(written - stalledAt).toBeLessThan(1024 * 1024);
    expect(written).toBeLessThan(64 * 1024 * 1024);
    expect(times.sort((a, b) => a - b)[10]).toBeLessThan(250);
    isFlooding = false;
    slow.destroy();
    await vi.waitFor(() => expect(server.usage.some(({ status }) => status === 499)).toBe(true));
  }, 30_000);
});
