import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { createRandom } from '../../quality/campaigns/support/random.ts';
import { CompletionEvent } from '../../src/chat/schema/responses.ts';
import { ConversationEvents } from '../../src/conversations/schema/responses.ts';
import { uploaded } from '../../src/files/upload-for-tests.ts';
import { SpeechStreamEvent } from '../../src/speech/schema/speech.ts';
import { TranscriptionStreamEvents } from '../../src/transcription/schema.ts';
import { type Answer, call } from '../support/call.ts';
import { sqliteForTests } from '../support/databases.ts';
import { rounds } from '../support/rounds.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { mutateAnswer, type Random, type ValidAnswer, type WireAnswer } from './mutate-answer.ts';

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, prompt_tokens_details: { cached_tokens: 2 } };
const weather = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const calls = [0, 1].map((index) => ({
  index,
  id: `call0000${index}`,
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
}));

const whole = (message: object, finish_reason = 'stop', choices = 1): ValidAnswer => ({
  json: {
    id: 'x',
    object: 'chat.completion',
    model: 'm',
    choices: Array.from({ length: choices }, (_, index) => ({
      index,
      message: { role: 'assistant', content: null, tool_calls: null, ...message },
      finish_reason,
    })),
    usage,
  },
});
const chunk = (delta: object, finish_reason: string | null = null, index = 0) => ({
  id: 'x',
  object: 'chat.completion.chunk',
  choices: [{ index, delta, finish_reason }],
});
const streamed = (deltas: object[], finish = 'stop', choices = 1): ValidAnswer => ({
  events: [
    ...Array.from({ length: choices }, (_, index) => [
      chunk({ role: 'assistant', content: '' }, null, index),
      ...deltas.map((delta) => chunk(delta, null, index)),
      chunk({}, finish, index),
    ]).flat(),
    { id: 'x', choices: [], usage },
  ],
});
const fragments = [
  { tool_calls: [{ ...calls[0], function: { name: 'get_weather', arguments: '' } }] },
  { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
  { tool_calls: [{ ...calls[1] }] },
  { tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] },
];

const vector = Array.from({ length: 8 }, (_, at) => at / 8);
const judgement = { categories: { sexual: false, hate: true }, category_scores: { sexual: 0.1, hate: 0.9 } };
const box = { top_left_x: 1, top_left_y: 1, bottom_right_x: 9, bottom_right_y: 9 };
const page = {
  index: 0,
  markdown: '# Title',
  images: [{ id: 'a', ...box, image_base64: 'AAAA' }],
  tables: [{ id: 't', content: '|a|', format: 'markdown' }],
  hyperlinks: ['https://example.com'],
  dimensions: { dpi: 200, height: 100, width: 100 },
  confidence_scores: { average_page_confidence_score: 0.9, minimum_page_confidence_score: 0.5 },
  blocks: [
    { type: 'text', content: 'Title', ...box },
    { type: 'image', content: '', image_id: 'a', ...box },
  ],
};
const spoken = { text: 'Good morning.', start: 0, end: 1.5 };
const sound: ValidAnswer = { bytes: Buffer.alloc(9600, 3), type: 'audio/pcm' };
const wav: ValidAnswer = { bytes: wavOf(Buffer.alloc(4800, 7)), type: 'audio/wav' };

const messages = [{ role: 'user', content: 'hello' }];
const schema = { name: 'a', schema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } };
const document = { type: 'document_url', document_url: `data:application/pdf;base64,${btoa('%PDF-1.4 ')}` };

type Path = { path: string; body: Record<string, unknown>; valid: ValidAnswer; events?: z.ZodType };

const paths: Record<string, Path> = {
  chat: { path: '/v1/chat/completions', body: { model: 'chat', messages }, valid: whole({ content: 'Hello.' }) },
  'chat, two choices': {
    path: '/v1/chat/completions',
    body: { model: 'chat', messages, n: 2 },
    valid: whole({ content: 'Hello.' }, 'stop', 2),
  },
  'chat, tools': {
    path: '/v1/chat/completions',
    body: { model: 'chat', messages, tools: [weather] },
    valid: whole({ tool_calls: calls }, 'tool_calls'),
  },
  'chat, structured': {
    path: '/v1/chat/completions',
    body: { model: 'chat', messages, response_format: { type: 'json_schema', json_schema: schema } },
    valid: whole({ content: '{"a":1}' }),
  },
  'chat, streamed': {
    path: '/v1/chat/completions',
    body: { model: 'chat', messages, stream: true },
    valid: streamed([{ content: 'Hel' }, { content: 'lo.' }]),
    events: CompletionEvent,
  },
  'chat, thoughts streamed': {
    path: '/v1/chat/completions',
    body: { model: 'chat', messages, stream: true },
    valid: streamed([
      { reasoning_content: 'Hm. ' },
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'So' }] }] },
      { content: [{ type: 'text', text: 'Hello' }] },
    ]),
    events: CompletionEvent,
  },
  'chat, tools streamed': {
    path: '/v1/chat/completions',
    body: { model: 'chat', messages, stream: true, tools: [weather] },
    valid: streamed(fragments, 'tool_calls'),
    events: CompletionEvent,
  },
  'chat, two choices streamed': {
    path: '/v1/chat/completions',
    body: { model: 'chat', messages, stream: true, n: 2 },
    valid: streamed([{ content: 'Hello.' }], 'stop', 2),
    events: CompletionEvent,
  },
  fim: {
    path: '/v1/fim/completions',
    body: { model: 'chat', prompt: 'a', suffix: 'b' },
    valid: whole({ content: 'return' }),
  },
  'fim, streamed': {
    path: '/v1/fim/completions',
    body: { model: 'chat', prompt: 'a', suffix: 'b', stream: true },
    valid: streamed([{ content: 'return' }]),
    events: CompletionEvent,
  },
  agent: { path: '/v1/agents/completions', body: { messages }, valid: whole({ content: 'Hello.' }) },
  'agent, streamed': {
    path: '/v1/agents/completions',
    body: { messages, stream: true },
    valid: streamed([{ content: 'Hello.' }]),
    events: CompletionEvent,
  },
  conversation: {
    path: '/v1/conversations',
    body: { model: 'chat', inputs: 'hello', tools: [weather] },
    valid: streamed([{ content: 'Hello.' }, ...fragments], 'tool_calls'),
  },
  'conversation, streamed': {
    path: '/v1/conversations#stream',
    body: { model: 'chat', inputs: 'hello', stream: true },
    valid: streamed([{ reasoning_content: 'Hm. ' }, { content: 'Hello.' }]),
    events: ConversationEvents,
  },
  embeddings: {
    path: '/v1/embeddings',
    body: { model: 'vectors', input: ['a', 'b'] },
    valid: {
      json: {
        data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: vector })),
        usage: { prompt_tokens: 2, total_tokens: 2 },
      },
    },
  },
  moderation: {
    path: '/v1/moderations',
    body: { model: 'judge', input: ['a', 'b'] },
    valid: { json: { id: 'x', results: [judgement, judgement], usage: { prompt_tokens: 2 } } },
  },
  ocr: { path: '/v1/ocr', body: { model: 'reader', document }, valid: { json: { pages: [page, page], model: 'x' } } },
  transcription: {
    path: '/v1/audio/transcriptions',
    body: { model: 'ear', timestamp_granularities: ['segment'] },
    valid: { json: { text: 'Good morning.', language: 'english', duration: 3.2, segments: [spoken], words: [] } },
  },
  'transcription, streamed': {
    path: '/v1/audio/transcriptions',
    body: { model: 'ear', stream: true, timestamp_granularities: ['segment'] },
    valid: {
      events: [
        { type: 'transcription.language', audio_language: 'en' },
        { type: 'transcription.segment', ...spoken, speaker_id: 'a' },
        { type: 'transcription.text.delta', text: 'Good morning.' },
        { type: 'transcription.done', model: 'x', text: 'Good morning.', language: 'en', segments: [spoken], usage },
      ],
    },
    events: TranscriptionStreamEvents,
  },
  speech: { path: '/v1/audio/speech', body: { model: 'voice', input: 'Hello there', voice_id: 'v' }, valid: sound },
  'speech, streamed': {
    path: '/v1/audio/speech',
    body: { model: 'voice', input: 'Hello there', voice_id: 'v', stream: true, response_format: 'pcm' },
    valid: wav,
    events: SpeechStreamEvent,
  },
};

let upstream: ScriptedUpstream;
let server: TestServer;

beforeAll(async () => {
  upstream = await startUpstream();
  const model = { engine: 'upstream' as const, url: upstream.url, timeout_seconds: 2 };
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        {
          ...model,
          id: 'chat',
          capabilities: { completion_chat: true, completion_fim: true, function_calling: true, reasoning: true },
          price: { prompt: 1, completion: 1 },
        },
        { ...model, id: 'vectors', capabilities: {} },
        { ...model, id: 'judge', capabilities: { moderation: true } },
        { ...model, id: 'reader', capabilities: { ocr: true } },
        { ...model, id: 'ear', kind: 'transcription' },
        { ...model, id: 'voice', capabilities: { audio_speech: true }, speech: { voices: ['v'] } },
      ],
    },
  });
  const agent = await call(server, '/v1/agents', { body: { model: 'chat', name: 'one' } });
  const { id } = agent.body as { id: string };
  const file = await uploaded(server, Buffer.from('RIFF'), { purpose: 'audio' }, { filename: 'a.wav' });
  for (const one of Object.values(paths)) {
    if (one.path === '/v1/agents/completions') one.body.agent_id = id;
    if (one.path === '/v1/audio/transcriptions') one.body.file_id = file.id;
  }
});

/** Writes an answer piece by piece, and ends it as it says. */
function write(response: ServerResponse, { headers, pieces, ending }: WireAnswer): void {
  response.on('error', () => undefined);
  response.writeHead(200, headers);
  response.flushHeaders();
  for (const piece of pieces) response.write(piece);
  if (ending === 'silence') return;
  if (ending === 'cut' || 'content-length' in headers) response.write('', () => response.destroy());
  else response.end();
}

const plainly = ({ valid }: Path): WireAnswer => ({
  headers: {
    'content-type': 'bytes' in valid ? valid.type : 'json' in valid ? 'application/json' : 'text/event-stream',
  },
  pieces: [plainBytes(valid)],
  ending: 'end',
  mutations: [],
});

function plainBytes(valid: ValidAnswer): Buffer {
  if ('bytes' in valid) return valid.bytes;
  if ('json' in valid) return Buffer.from(JSON.stringify(valid.json));
  return Buffer.from(`${valid.events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`);
}

async function request({ path, body }: Path): Promise<Answer> {
  return call(server, path, { body });
}

/** Every event is one of the route's, and a stream ends as its family ends: with its last event, or with an error. */
function checkEvents(text: string, events: z.ZodType): void {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  expect(blocks.length).toBeGreaterThan(0);
  const kinds = blocks.map((block) => {
    const data = /^data: (.*)$/m.exec(block)?.[1] ?? '';
    if (data === '[DONE]') return 'done';
    const event = /^event: (.*)$/m.exec(block)?.[1];
    const parsed = JSON.parse(data) as { object?: string; type?: string; code?: unknown };
    // The codes of an error of ours, which would be a 500 before the first byte.
    if (parsed.object === 'error' || parsed.type === 'conversation.response.error')
      expect(['completion_failed', 'speech_failed', 'transcription_failed', 500]).not.toContain(parsed.code);
    if (parsed.object === 'error') return 'done';
    expect(events.safeParse({ event, data: parsed })).toMatchObject({ success: true });
    return parsed.type ?? 'chunk';
  });
  expect(kinds.at(-1)).toMatch(/done$|error$/);
}

describe('a model server that answers wrongly', () => {
  it.each(Object.entries(paths))('%s: only 200, 502 or 504 come out, and the next request works', async (name, one) => {
    const seed = Number(process.env.TRAMONTANE_TEST_SEED ?? 4711) + name.length;
    const random: Random = createRandom(seed);
    let last: WireAnswer | undefined;
    const seen = new Set<number>();
    for (let round = 0; round < rounds(10, 250); round++) {
      upstream.answerWith((_call, response) => {
        last = mutateAnswer(random, one.valid, rounds(0, 1) === 1);
        write(response, last);
      });
      const answer = await request(one);
      const about = () =>
        `round ${round} of seed ${seed}: ${last?.mutations.join(', ')}\n${last?.pieces.join('').slice(0, 2000)}\n${answer.text.slice(0, 500)}\n${server.logs.slice(-3).join('')}`;
      expect([200, 502, 504], about()).toContain(answer.status);
      seen.add(answer.status);
      if (answer.status === 200 && one.events)
        try {
          checkEvents(answer.text, one.events);
        } catch (error) {
          throw new Error(about(), { cause: error });
        }
      if (round % 5 !== 4) continue;
      upstream.answerWith((_call, response) => write(response, plainly(one)));
      expect((await request(one)).status, about()).toBe(200);
    }
    // Any bytes are sound, and the stream of a conversation begins before the model is asked.
    if (!('bytes' in one.valid) && one.events !== ConversationEvents) expect(seen).toContain(502);
  });

  it('leaves a ledger of counts that can be', async () => {
    const { db } = server.platform.database;
    await expect
      .poll(async () => (await db.selectFrom('usage_records').selectAll().execute()).length)
      .toBeGreaterThan(100);
    for (const record of await db.selectFrom('usage_records').selectAll().execute())
      for (const count of [record.prompt_tokens, record.completion_tokens, record.cached_tokens, record.cost_micros]) {
        expect(Number(count)).toBeGreaterThanOrEqual(0);
        expect(Number(count)).toBeLessThanOrEqual(64 * 1024 * 1024);
        expect(Number.isInteger(Number(count))).toBe(true);
      }
  });
});

function wavOf(data: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(24_000, 24);
  head.writeUInt32LE(48_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}
