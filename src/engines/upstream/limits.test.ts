import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../../test/support/upstream.ts';
import type { ChatRequest, Delta, Engine, EngineUsage } from '../engine.ts';
import { createUpstreamEngine, type UpstreamEngineOptions } from './upstream-engine.ts';

const MEBIBYTE = 1024 * 1024;
const never = new AbortController().signal;
const hello: ChatRequest = {
  messages: [{ role: 'user', content: 'hello' }],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  format: { type: 'text' },
  choices: 1,
  stop: [],
};

function engineFor(
  upstreams: { url: string }[],
  options: Partial<UpstreamEngineOptions> & { timeoutMs?: number } = {},
) {
  const { timeoutMs = 5000, ...rest } = options;
  const engine = createUpstreamEngine({
    targets: upstreams.map(({ url }) => ({ url, apiKey: undefined, model: 'm', timeoutMs })),
    retry: { backoffMs: 1 },
    embeds: true,
    ocr: true,
    ...rest,
  });
  atEnd(() => engine.close());
  return engine;
}

async function collect(batches: AsyncIterable<Delta[]>): Promise<Delta[]> {
  const all: Delta[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

/** Repeats a piece until the client has cut the connection or `bytes` are written; resolves with what was written. */
async function pour(response: ServerResponse, piece: string | Buffer, bytes = 500 * MEBIBYTE): Promise<number> {
  let written = 0;
  let isOpen = true;
  const closed = once(response, 'close').then(() => {
    isOpen = false;
  });
  while (isOpen && written < bytes) {
    written += Buffer.byteLength(piece);
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  }
  if (isOpen) response.end();
  return written;
}

const events = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
const event = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const call = (text: string, index = 0) =>
  event({ tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: text } }] });

describe('a stream that is too long', () => {
  let upstream: ScriptedUpstream;
  let engine: Engine;
  beforeAll(async () => {
    upstream = await startUpstream();
    engine = engineFor([upstream]);
  });

  it.each<[string, string, string, number]>([
    ['without a line end', '', 'x'.repeat(65_536), 2],
    ['in a comment without end', ': ', 'x'.repeat(65_536), 2],
    ['in an event without end', '', `data: ${'x'.repeat(65_536)}\n`, 2],
    ['in an event of empty lines', '', 'data:\n'.repeat(10_000), 2],
    ['in the arguments of a call', '', call('x'.repeat(65_536)), 4],
    ['in crumbs of a call', '', call('').repeat(500), 24],
    ['in calls', '', Array.from({ length: 200 }, (_, index) => call('{}', index)).join(''), 2],
    ['in text', '', event({ content: 'x'.repeat(65_536) }), 8],
    ['in thoughts', '', event({ reasoning_content: 'x'.repeat(65_536) }), 8],
    ['in comments', '', ': ping\n\n'.repeat(5000), 17],
    [
      'in choices that were not asked for',
      '',
      event({ content: 'x'.repeat(60_000) }).replace('"index":0', '"index":7'),
      17,
    ],
  ])('%s is cut off at once, with a 502', async (_name, first, piece, mebibytes) => {
    let poured: Promise<number> | undefined;
    upstream.answerWith((_call, response) => {
      events(response).write(`${event({ role: 'assistant', content: '' })}${first}`);
      poured = pour(response, piece);
    });
    const failure = await collect(engine.stream({ ...hello, maxTokens: 10 }, never)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 502, code: 'upstream_answer_too_large' });
    // What the sockets of both sides hold is written too.
    expect(await poured).toBeLessThan((mebibytes + 12) * MEBIBYTE);
    upstream.answerWith((_call, response) => json(response, 200, completion('fine')));
    expect((await engine.complete(hello, never)).choices[0]?.text).toBe('fine');
  });

  it('ten of 500 MiB at once cost little memory and leave the model to others', async () => {
    upstream.answerWith((_call, response) => {
      events(response);
      void pour(response, Buffer.alloc(65_536, 120));
    });
    const before = process.memoryUsage();
    const cpu = process.cpuUsage();
    const failures = await Promise.all(
      Array.from({ length: 10 }, () =>
        collect(engine.stream(hello, never)).catch((error: { status: number }) => error),
      ),
    );
    expect(failures).toEqual(Array(10).fill(expect.objectContaining({ status: 502 })));
    const after = process.memoryUsage();
    expect(after.rss + after.external - before.rss - before.external).toBeLessThan(200 * MEBIBYTE);
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 1000).toBeLessThan(5000);
    expect(engine.state()).toEqual({ kind: 'ready' });
    upstream.answerWith((_call, response) => json(response, 200, completion('fine')));
    expect((await engine.complete(hello, never)).choices[0]?.text).toBe('fine');
  });

  it('of answers in one piece is cut off too, by its kind', async () => {
    const asks: [number, () => Promise<unknown>][] = [
      [16, () => engine.complete(hello, never)],
      [4, () => engine.moderate?.(['a'], never) as Promise<unknown>],
    ];
    for (const [mebibytes, ask] of asks) {
      let poured: Promise<number> | undefined;
      upstream.answerWith((_call, response) => {
        poured = pour(response.writeHead(200), Buffer.alloc(65_536, 32));
      });
      await expect(ask()).rejects.toMatchObject({ status: 502, code: 'upstream_answer_too_large' });
      expect(await poured).toBeLessThan((mebibytes + 12) * MEBIBYTE);
      upstream.answerWith((_call, response) => void response.writeHead(200, { 'content-length': 2 ** 40 }).write('{'));
      await expect(ask()).rejects.toMatchObject({ status: 502, code: 'upstream_answer_too_large' });
    }
  });

  it.each([
    ['brackets', '['.repeat(300_000)],
    ['empty objects', `{"choices":[${'{},'.repeat(300_000)}{}]}`],
    ['keys', `{${Array.from({ length: 200_000 }, (_, key) => `"${key}":0`).join()}}`],
  ])('in %s is not built', async (_name, body) => {
    upstream.answerWith((_call, response) => void response.writeHead(200).end(body));
    await expect(engine.complete(hello, never)).rejects.toMatchObject({ code: 'upstream_answer_too_large' });
    upstream.answerWith((_call, response) => void events(response).end(`data: ${body}\n\n`));
    await expect(collect(engine.stream(hello, never))).rejects.toMatchObject({ code: 'upstream_answer_too_large' });
  });

  it('in pages is not billed', async () => {
    const pages = Array.from({ length: 10_001 }, (_, index) => ({ index, markdown: '' }));
    upstream.answerWith((_call, response) => json(response, 200, { pages }));
    const document = {
      document: Buffer.from('%PDF-'),
      includeImages: false,
      extractHeader: false,
      extractFooter: false,
    };
    const read = engine.ocr?.read({ ...document, includeBlocks: false }, never);
    await expect(read).rejects.toMatchObject({ status: 502, code: 'upstream_invalid_response' });
  });

  it('in a refusal does not hide what the refusal is', async () => {
    upstream.answerWith((_call, response) => void pour(response.writeHead(400), 'context length '.repeat(10_000)));
    await expect(engine.complete(hello, never)).rejects.toMatchObject({
      status: 400,
      code: 'upstream_context_exceeded',
    });
  });
});

describe('a server that drips', () => {
  it('comments and nothing else is given up: the patience is four timeouts', async () => {
    const server = createServer((_request, response) => {
      events(response);
      const timer = setInterval(() => response.write(': busy\n\n'), 20);
      response.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    atEnd(() => void server.closeAllConnections());
    atEnd(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const engine = engineFor([{ url }], { timeoutMs: 100 });
    await expect(collect(engine.stream(hello, never))).rejects.toMatchObject({ status: 504, code: 'upstream_timeout' });
    await expect(engine.complete(hello, never)).rejects.toMatchObject({ status: 504 });
  });

  it('does not keep an answer that has said its last word', async () => {
    const upstream = await startUpstream();
    upstream.answerWith(
      (_call, response) => void events(response).write(`${event({ content: 'a' }, 'stop')}data: [DONE]\n\n`),
    );
    const deltas = await collect(engineFor([upstream], { timeoutMs: 60_000 }).stream(hello, never));
    expect(deltas).toMatchObject([{ text: 'a' }, { kind: 'finish' }, { kind: 'usage' }]);
  });
});

describe('a server that answers wrongly', () => {
  const wrong: [string, (response: ServerResponse) => void][] = [
    ['null choices', (response) => json(response, 200, { choices: null })],
    ['a choice that is null', (response) => json(response, 200, { choices: [null] })],
    ['a call that is null', (response) => json(response, 200, { choices: [{ message: { tool_calls: [null] } }] })],
    ['calls that are no list', (response) => json(response, 200, { choices: [{ message: { tool_calls: {} } }] })],
    ['a call without a name', (response) => json(response, 200, { choices: [{ message: { tool_calls: [{}] } }] })],
    ['content that is a number', (response) => json(response, 200, { choices: [{ message: { content: 5 } }] })],
    ['a part that is null', (response) => json(response, 200, { choices: [{ message: { content: [null] } }] })],
    ['half a choice', (response) => json(response, 200, { choices: [{ index: 0.5, message: { content: 'a' } }] })],
    ['a reason that is a number', (response) => json(response, 200, { choices: [{ message: {}, finish_reason: 5 }] })],
    ['compressed bytes', (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).write('x')],
    ['deep arguments', (response) => void response.end(deepCall())],
    ['half a body', (response) => void response.writeHead(200).write('{"choices"', () => response.destroy())],
    ['not HTTP', (response) => void response.socket?.end('hello\r\n\r\n')],
    ['headers without end', (response) => void response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(99_999)}\r\n`)],
    ['103 without end', (response) => void response.socket?.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(99))],
    ['nothing', (response) => void response.destroy()],
  ];

  it.each(wrong)('%s: the next server is asked, and alone it is a 502', async (_name, answer) => {
    const [bad, good] = [await startUpstream(), await startUpstream()];
    bad.answerWith((_call, response) => answer(response));
    const both = engineFor([bad, good]);
    expect((await both.complete(hello, never)).choices[0]?.text).toBe('You said: hello');
    expect((await collect(both.stream(hello, never)))[0]).toMatchObject({ text: 'You said: hello' });
    await expect(engineFor([bad]).complete(hello, never)).rejects.toMatchObject({ status: 502 });
    await expect(collect(engineFor([bad]).stream(hello, never))).rejects.toMatchObject({ status: 502 });
  });

  it('in a stream that has begun is not replaced, and what it counted is on the tally', async () => {
    const [bad, good] = [await startUpstream(), await startUpstream()];
    bad.answerWith((_call, response) => {
      events(response).write(
        event({ content: 'a' }).replace('{"choices"', '{"usage":{"prompt_tokens":7,"completion_tokens":9},"choices"'),
      );
      setImmediate(() => response.end('data: {"choices":[null]}\n\n'));
    });
    const seen: Delta[] = [];
    const { counted, tally } = startTally();
    const reading = async () => {
      for await (const batch of engineFor([bad, good]).stream(hello, never, tally)) seen.push(...batch);
    };
    await expect(reading()).rejects.toMatchObject({ status: 502 });
    expect(seen).toEqual([{ kind: 'text', choice: 0, text: 'a' }]);
    expect(counted).toEqual([{ promptTokens: 7, completionTokens: 9 }]);
    expect(good.calls).toHaveLength(0);
  });

  it('what a server counted for an answer that is not used is on the tally, and not in the usage of the one that is', async () => {
    const [bad, good] = [await startUpstream(), await startUpstream()];
    bad.answerWith((_call, response) =>
      json(response, 200, { choices: [null], usage: { prompt_tokens: 5, completion_tokens: 6 } }),
    );
    const { counted, tally } = startTally();
    const { usage } = await engineFor([bad, good]).complete(hello, never, tally);
    expect(usage).toMatchObject({ promptTokens: 7, completionTokens: 3 });
    expect(counted).toEqual([{ promptTokens: 5, completionTokens: 6 }, usage]);
  });

  it('does not open the breaker: one request must not take the model away from the others', async () => {
    const upstream = await startUpstream();
    const engine = engineFor([upstream], { breaker: { failuresMax: 1 } });
    upstream.answerWith((_call, response) => json(response, 200, { choices: [null] }));
    await Promise.allSettled(Array.from({ length: 8 }, () => engine.complete(hello, never)));
    upstream.answerWith((_call, response) => void events(response).end('data: {"choices":[null]}\n\n'));
    await Promise.allSettled(Array.from({ length: 8 }, () => collect(engine.stream(hello, never))));
    expect(engine.state()).toEqual({ kind: 'ready' });
  });

  it.each<[string, unknown, object]>([
    ['negative', { prompt_tokens: -1, completion_tokens: -5 }, { promptTokens: 2, completionTokens: 1 }],
    ['a fraction', { prompt_tokens: 1.5, completion_tokens: 3 }, { promptTokens: 2, completionTokens: 3 }],
    ['text', { prompt_tokens: '7', completion_tokens: '3' }, { promptTokens: 2, completionTokens: 1 }],
    ['without end', { prompt_tokens: 2 ** 53 - 1, completion_tokens: 1e308 }, { promptTokens: 2, completionTokens: 1 }],
    [
      'less than its part',
      {
        prompt_tokens: 4,
        completion_tokens: 3,
        num_cached_tokens: 9,
        completion_tokens_details: { reasoning_tokens: 8 },
      },
      { promptTokens: 4, completionTokens: 3, cachedTokens: 4, reasoningTokens: 3 },
    ],
  ])('a count that is %s does not reach the ledger', async (_name, usage, counted) => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => json(response, 200, { choices: [{ message: { content: 'a' } }], usage }));
    expect((await engineFor([upstream]).complete(hello, never)).usage).toEqual(counted);
  });
});

function deepCall(): string {
  const text = JSON.stringify({
    choices: [{ message: { tool_calls: [{ function: { name: 'f', arguments: 'HERE' } }] } }],
  });
  return text.replace('"HERE"', '['.repeat(7000) + ']'.repeat(7000));
}

function startTally() {
  const counted: EngineUsage[] = [];
  return { counted, tally: { add: (usage: EngineUsage) => void counted.push(usage), admit: () => undefined } };
}
