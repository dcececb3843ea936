import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import {
  type ChatServer,
  deltaChunk,
  events,
  hello,
  json,
  readEvents,
  type ScriptedUpstream,
  serveScripted,
  startEvents,
  textEvents,
  textOf,
  usageChunk,
} from './chat-for-tests.ts';

let upstream: ScriptedUpstream;
let server: ChatServer;
beforeAll(async () => {
  ({ upstream, server } = await serveScripted());
});

const post = (fields: object = {}) =>
  call(server, '/v1/chat/completions', { body: { ...hello, stream: true, ...fields } });

describe('a stream', () => {
  it('has role first, usage in the last chunk only, p on every chunk, and an end marker [CHAT-STREAM] [CHAT-STREAM-USAGE] [CHAT-STREAM-P]', async () => {
    upstream.answerWith((_call, response) => textEvents(response, ['Hel', 'lo', ' 日本']));
    const { status, headers, text } = await post();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const streamed = readEvents(text);
    expect(streamed.isDone).toBe(true);
    expect(textOf(streamed)).toBe('Hello 日本');
    const [first] = streamed.chunks;
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: 'small',
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
      p: expect.stringMatching(/^[a-z0-9]+$/),
    });
    expect(streamed.chunks.every(({ p, id }) => /^abc/.test(p) && id === first?.id)).toBe(true);
    expect(streamed.chunks.filter((chunk) => 'usage' in chunk)).toEqual([streamed.chunks.at(-1)]);
    expect(streamed.chunks.at(-1)).toMatchObject({
      choices: [{ index: 0, finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
    expect(upstream.calls.at(-1)?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('interleaves its choices, each with its own role and finish', async () => {
    upstream.answerWith((_call, response) =>
      events(response, [
        deltaChunk({ content: 'a' }, null, 0),
        deltaChunk({ content: 'b' }, null, 1),
        deltaChunk({}, 'stop', 1),
        deltaChunk({ content: 'A' }, 'length', 0),
        usageChunk,
      ]),
    );
    const streamed = readEvents((await post({ n: 2 })).text);
    expect([textOf(streamed, 0), textOf(streamed, 1)]).toEqual(['aA', 'b']);
    const finishes = streamed.chunks.flatMap(({ choices }) => choices).filter((choice) => choice.finish_reason);
    expect(finishes.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([
      [1, 'stop'],
      [0, 'length'],
    ]);
  });

  it('begins with the prefix it was given', async () => {
    upstream.answerWith((_call, response) => textEvents(response, ['Once', ' upon a', ' time']));
    const messages = [...hello.messages, { role: 'assistant', content: 'Once upon', prefix: true }];
    expect(textOf(readEvents((await post({ messages })).text))).toBe('Once upon a time');
  });

  it('shows thoughts as chunks, or not at all', async () => {
    upstream.answerWith((_call, response) =>
      events(response, [deltaChunk({ reasoning_content: 'Hm.' }), deltaChunk({ content: 'Yes' }, 'stop'), usageChunk]),
    );
    const shown = readEvents((await post()).text);
    expect(shown.chunks[1]?.choices[0]?.delta).toEqual({
      content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }],
    });
    const hidden = readEvents((await post({ reasoning_effort: 'none' })).text);
    expect(JSON.stringify(hidden.chunks)).not.toContain('Hm.');
    expect(textOf(hidden)).toBe('Yes');
  });
});

describe('a failure', () => {
  it('before the first chunk is an ordinary error', async () => {
    upstream.answerWith((_call, response) => json(response, 400, {}));
    expect(await post()).toMatchObject({ status: 400, body: { object: 'error', type: 'invalid_request_error' } });
    upstream.answerWith((_call, response) => events(response, [{ error: { message: 'secret' } }]));
    expect(await post()).toMatchObject({ status: 502, body: { object: 'error', type: 'server_error' } });
  });

  it.each([
    ['breaks off', (write: (text: string) => void) => write('')],
    ['sends an error', (write: (text: string) => void) => write('data: {"error":{"message":"secret"}}\n\n')],
    ['sends nonsense', (write: (text: string) => void) => write('data: secret{\n\n')],
  ])('after it, when the server %s, is an error event and no end marker', async (_name, finish) => {
    upstream.answerWith((_call, response) => {
      startEvents(response);
      response.write(`data: ${JSON.stringify(deltaChunk({ content: 'half' }))}\n\n`);
      setTimeout(() => {
        finish((text) => response.write(text));
        response.end();
      }, 20);
    });
    const { status, text } = await post();
    const streamed = readEvents(text);
    expect(status).toBe(200);
    expect(textOf(streamed)).toBe('half');
    expect(streamed.error).toEqual({
      object: 'error',
      message: 'The model server broke off its answer. Send the request again.',
      type: 'server_error',
      param: null,
      code: 'upstream_interrupted',
    });
    expect(streamed.isDone).toBe(false);
    expect(text).not.toContain('secret');
  });
});

describe('the account', () => {
  it('is told once for each request, with the figures of the server', async () => {
    server.usage.length = 0;
    upstream.answerWith((_call, response) => textEvents(response, ['ok']));
    await post();
    upstream.answerWith((_call, response) => json(response, 500, {}));
    await post();
    expect(server.usage).toEqual([
      expect.objectContaining({
        model: 'small',
        kind: 'chat',
        status: 200,
        usage: { promptTokens: 7, completionTokens: 3 },
        latencyMs: expect.any(Number),
        requestId: expect.any(String),
      }),
      expect.objectContaining({ status: 503, usage: { promptTokens: 0, completionTokens: 0 } }),
    ]);
  });
});
