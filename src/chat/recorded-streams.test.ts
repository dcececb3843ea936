import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import type { Delta } from '../engines/index.ts';
import { endStream, reduceChunk, startStream, usageOf } from '../engines/upstream/reduce-chunks.ts';
import { SseParser } from '../engines/upstream/sse-parser.ts';
import { startRun } from '../metering/index.ts';
import { hello, never, readEvents, type Streamed, serveScripted, startEvents, textOf } from './chat-for-tests.ts';
import { ChunkWriter } from './relay/chunk-writer.ts';
import { openRelay } from './relay/relay-stream.ts';

const folder = new URL('../../test/fixtures/streams/', import.meta.url);
const names = readdirSync(folder).flatMap((file) => (file.endsWith('.sse') ? [file.slice(0, -'.sse'.length)] : []));
const bytesOf = (name: string) => readFileSync(new URL(`${name}.sse`, folder));

/** The deltas of each arrival, as the upstream engine makes them. */
function* reduce(pieces: Uint8Array[]): Generator<Delta[]> {
  const parser = new SseParser();
  const state = startStream();
  for (const piece of pieces) {
    const deltas: Delta[] = [];
    parser.push(piece, (data) => reduceChunk(state, data, deltas));
    if (deltas.length > 0) yield deltas;
  }
  endStream(state);
  yield [{ kind: 'usage', usage: usageOf(state, 40) }];
}

/** What a client reads after the relay. */
async function relay(pieces: Uint8Array[], choices: number): Promise<Streamed> {
  async function* batches() {
    yield* reduce(pieces);
  }
  const signal = never();
  const request = { kind: 'chat' as const, model: 'small', estimatedTokens: 0 };
  const asked = { scope: {}, requestId: 'r', signal, setHeader: () => undefined } as unknown as Parameters<
    typeof startRun
  >[1];
  const run = await startRun({ now: () => 0 }, asked, request);
  const writer = new ChunkWriter({ id: 'i', created: 1, model: 'small' }, { choices, prefix: '', showsThinking: true });
  let text = '';
  for await (const part of await openRelay(batches(), { writer, run, signal })) text += part;
  return readEvents(text);
}

/** Everything a client can tell, without the padding, which is drawn anew each time. */
function toldBy({ chunks, isDone, error }: Streamed) {
  return { isDone, error, chunks: chunks.map(({ choices, usage }) => (usage ? { choices, usage } : { choices })) };
}

const callsOf = ({ chunks }: Streamed) => chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
const thoughtsOf = ({ chunks }: Streamed) =>
  chunks
    .flatMap(({ choices }) => choices.map(({ delta }) => delta.content))
    .flatMap((content) => (Array.isArray(content) ? (content as { thinking: { text: string }[] }[]) : []))
    .map(({ thinking }) => thinking[0]?.text)
    .join('');

/** text, thoughts, arguments of calls, last finish, total tokens */
const expected: Record<string, [string, string, string[], string, number]> = {
  'tramontane-text': ['Ça va, naïve café?', '', [], 'stop', 57],
  'tramontane-tools': ['', '', ['{"city":"Paris"}', '{"city":"Rome"}'], 'tool_calls', 181],
  'tramontane-choices': ['The planet Earth is often referred', '', [], 'length', 46],
  vllm: ['', 'Paris, then Rome.', ['{"city": "Paris"}', '{"city": "Rome"}'], 'tool_calls', 52],
  ollama: ['', 'Two.', ['{"city":"Paris"}', '{"city":"Rome"}'], 'tool_calls', 25],
  'llama-cpp': ['Hello <think>', '\nHm <b ', [], 'length', 13],
  mistral: ['Four.', 'Easy.', [], 'stop', 14],
  completions: ['return a + b', '', [], 'stop', 9],
  'keep-alive-crlf': ['Grüße, 日本 👩\u200d👩\u200d👧 e\u0301\u00e9.', '', [], 'stop', 27],
};

describe.each(names)('the stream %s', (name) => {
  const bytes = bytesOf(name);
  const choices = name === 'tramontane-choices' ? 2 : 1;

  it('is understood', async () => {
    const streamed = await relay([bytes], choices);
    expect([
      textOf(streamed),
      thoughtsOf(streamed),
      callsOf(streamed).map((made) => made.function.arguments),
      streamed.chunks.at(-1)?.choices[0]?.finish_reason,
      streamed.chunks.at(-1)?.usage?.total_tokens,
      streamed.isDone,
    ]).toEqual([...(expected[name] ?? []), true]);
  });

  it('is relayed alike wherever its bytes are cut', async () => {
    const whole = toldBy(await relay([bytes], choices));
    for (let at = 1; at < bytes.length; at++) {
      const cut = toldBy(await relay([bytes.subarray(0, at), bytes.subarray(at)], choices));
      // A quick comparison first: describing thousands of equal objects takes longer than the relay.
      if (JSON.stringify(cut) !== JSON.stringify(whole)) expect(cut, `cut at byte ${at}`).toEqual(whole);
    }
  });

  it('is relayed alike when every byte comes alone, through real sockets', async () => {
    const { upstream, server } = await serveScripted();
    upstream.answerWith(async (_call, response) => {
      response.socket?.setNoDelay(true);
      startEvents(response);
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        if (byte % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const { text } = await call(server, '/v1/chat/completions', { body: { ...hello, stream: true, n: choices } });
    const [streamed, whole] = [readEvents(text), await relay([bytes], choices)];
    expect(textOf(streamed)).toBe(textOf(whole));
    expect(thoughtsOf(streamed)).toBe(thoughtsOf(whole));
    expect(callsOf(streamed).map((made) => made.function)).toEqual(callsOf(whole).map((made) => made.function));
    expect(streamed.isDone).toBe(true);
  });

  it('is a failure when it breaks off before its finish', () => {
    const end = bytes.lastIndexOf('finish_reason":"');
    expect(() => [...reduce([bytes.subarray(0, end)])]).toThrow('broke off');
  });
});
