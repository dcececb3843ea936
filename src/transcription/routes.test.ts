import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Mistral } from '@mistralai/mistralai';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { uploaded } from '../files/upload-for-tests.ts';
import { reply, startTranscriber, TRANSCRIPT } from './upstream-for-tests.ts';

let server: TestServer;
let transcriber: Awaited<ReturnType<typeof startTranscriber>>;
let chatServer: ScriptedUpstream;
let address: string;
const sound = Buffer.from('RIFF-some-sound');

beforeAll(async () => {
  transcriber = await startTranscriber();
  chatServer = await startUpstream();
  chatServer.answerWith((_call, response) => json(response, 200, completion('Fine.')));
  const elsewhere = createServer((request, response) => {
    if (request.url === '/large.wav') response.end(Buffer.alloc(2 * 1024 * 1024));
    else response.writeHead(request.url === '/talk.wav' ? 200 : 404).end(sound);
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  atEnd(() => void elsewhere.close());
  const { port } = elsewhere.address() as AddressInfo;
  address = `http://127.0.0.1:${port}`;
  const moderator = await startUpstream();
  moderator.answerWith(({ body }, response) =>
    json(response, 200, {
      results: (body.input as string[]).map((text) => ({
        categories: { violence_and_threats: text.includes('fight') },
        category_scores: { violence_and_threats: text.includes('fight') ? 0.9 : 0.1 },
      })),
    }),
  );
  const judge = { engine: 'upstream' as const, url: moderator.url };
  const far = { engine: 'upstream' as const, url: transcriber.url };
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        { ...far, id: 'ear', kind: 'transcription', upstream_model: 'whisper-1', price: { audio_minute: 60 } },
        { id: 'talker', engine: 'upstream', url: chatServer.url },
        { ...judge, id: 'mistral-moderation-2603', kind: 'moderation' },
        { id: 'hearer', engine: 'upstream', url: chatServer.url, capabilities: { completion_chat: true, audio: true } },
      ],
      transcription: { file_limit_mib: 1 },
      outbound: { allow: [`127.0.0.1:${port}`] },
    },
  });
});
afterEach(() => transcriber.answerWith((_form, response) => reply(response, 200, TRANSCRIPT)));

type Fields = Record<string, string | string[] | undefined>;

async function post(fields: Fields, { file = sound, key = server.key }: { file?: Buffer | null; key?: string } = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'ear', ...fields }))
    for (const one of [value ?? []].flat()) form.append(name, one);
  if (file) form.append('file', new Blob([new Uint8Array(file)]), 'talk.wav');
  const headers = { ...(key && { authorization: `Bearer ${key}` }) };
  const response = await fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : undefined,
  };
}

const client = () => new Mistral({ serverURL: server.url, apiKey: server.key });
const leftovers = () => {
  const dir = join(server.config.dataDir, 'audio');
  return existsSync(dir) ? readdirSync(dir) : [];
};

describe('200', () => {
  it('a file is transcribed: text, language, usage, and no times that nobody asked for [TRANSCRIPTION-CREATE] [TRANSCRIPTION-BIAS]', async () => {
    const { status, body } = await post({
      language: 'en',
      temperature: '0.2',
      context_bias: ['Tramontane', 'Voxtral'],
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        model: 'ear',
        text: 'Good morning. How are you?',
        language: 'en',
        segments: [],
        usage: { prompt_tokens: 40, completion_tokens: 7, total_tokens: 47, prompt_audio_seconds: 4 },
      },
    });
    expect(transcriber.forms.at(-1)).toEqual({
      fields: {
        model: ['whisper-1'],
        language: ['en'],
        temperature: ['0.2'],
        context_bias: ['Tramontane', 'Voxtral'],
        prompt: ['Tramontane Voxtral'],
      },
      file: { name: 'talk.wav', bytes: sound },
    });
    expect(leftovers()).toEqual([]);
  });

  it('the SDK gets segments with their times, and a stream in the order of the contract [TRANSCRIPTION-TIMES] [TRANSCRIPTION-STREAM]', async () => {
    const file = { fileName: 'talk.wav', content: new Uint8Array(sound) };
    const request = { model: 'voxtral-mini-latest', file, timestampGranularities: ['segment' as const] };
    const whole = await client().audio.transcriptions.complete(request);
    expect(whole).toMatchObject({
      model: 'ear',
      language: 'en',
      segments: [
        { type: 'transcription_segment', text: 'Good morning.', start: 0, end: 1.5, score: expect.closeTo(0.905, 2) },
        { text: 'How are you?', start: 1.6, end: 3.2, speakerId: null },
      ],
      usage: { promptAudioSeconds: 4 },
    });
    const events = [];
    for await (const { event, data } of await client().audio.transcriptions.stream(request))
      events.push({ event, data });
    expect(events.map(({ event }) => event)).toEqual([
      'transcription.language',
      'transcription.segment',
      'transcription.segment',
      'transcription.text.delta',
      'transcription.done',
    ]);
    expect(events.at(-1)?.data).toMatchObject({ text: whole.text, segments: { length: 2 }, usage: whole.usage });
  });

  const streaming = (events: object[], isNamed = true) =>
    transcriber.answerWith((_form, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const data of events) {
        const name = isNamed && 'type' in data ? `event: ${data.type}\n` : '';
        response.write(`${name}data: ${JSON.stringify(data)}\n\n`);
      }
      response.end('data: [DONE]\n\n');
    });
  const eventsOf = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as { type: string; text?: string; usage?: object });
  const usage = { prompt_tokens: 25, completion_tokens: 5, total_tokens: 30, prompt_audio_seconds: 2 };

  it.each([
    [
      "Mistral's",
      [
        { type: 'transcription.language', audio_language: 'en' },
        { type: 'transcription.text.delta', text: 'Good ' },
        { type: 'transcription.text.delta', text: 'morning.' },
        { type: 'transcription.done', model: 'x', text: 'Good morning.', language: 'en', segments: [], usage },
      ],
      ['transcription.language'],
      2,
    ],
    [
      "OpenAI's",
      [
        { type: 'transcript.text.delta', delta: 'Good ' },
        { type: 'transcript.text.delta', delta: 'morning.' },
        { type: 'transcript.text.done', text: 'Good morning.', usage: { type: 'duration', seconds: 2 } },
      ],
      [],
      2,
    ],
    [
      "a chat's",
      [
        { object: 'transcription.chunk', choices: [{ delta: { content: 'Good ' } }] },
        { object: 'transcription.chunk', choices: [{ delta: { content: 'morning.' }, finish_reason: 'stop' }] },
      ],
      [],
      1,
    ],
  ])(
    'the stream of a server in %s words comes as our events, while it is written [TRANSCRIPTION-STREAM]',
    async (_, sent, first, seconds) => {
      streaming(sent);
      const { status, text } = await post({ stream: 'true' });
      expect(status).toBe(200);
      expect(transcriber.forms.at(-1)?.fields.stream).toEqual(['true']);
      const events = eventsOf(text);
      expect(events.map(({ type }) => type)).toEqual([
        ...first,
        'transcription.text.delta',
        'transcription.text.delta',
        'transcription.done',
      ]);
      expect(events.at(-1)).toMatchObject({ text: 'Good morning.', usage: { prompt_audio_seconds: seconds } });
    },
  );

  it('the segments of a streaming server keep their times and speakers, and one without streams is asked for the whole', async () => {
    const segment = { type: 'transcription.segment', text: ' Hi.', start: 0.5, end: 1, speaker_id: 'speaker_1' };
    const whole = { type: 'transcription.done', model: 'x', text: 'Hi.', language: 'en', segments: [segment], usage };
    streaming([segment, whole]);
    const asked = { stream: 'true', diarize: 'true' };
    expect(eventsOf((await post(asked)).text)).toEqual([
      { type: 'transcription.segment', text: 'Hi.', start: 0.5, end: 1, speaker_id: 'speaker_1' },
      { type: 'transcription.language', audio_language: 'en' },
      { type: 'transcription.text.delta', text: 'Hi.' },
      expect.objectContaining({ type: 'transcription.done', segments: [expect.objectContaining({ text: 'Hi.' })] }),
    ]);
    transcriber.answerWith(({ fields }, response) =>
      fields.stream
        ? reply(response, 400, { message: 'streaming is not supported' })
        : reply(response, 200, TRANSCRIPT),
    );
    expect(eventsOf((await post({ stream: 'true' })).text).at(-1)).toMatchObject({ text: TRANSCRIPT.text });
  });

  it('a stream of a server that breaks off ends in an error event, and fails before the first word as usual', async () => {
    const started = [
      { type: 'transcription.text.delta', text: 'Good ' },
      { type: 'error', message: 'broken' },
    ];
    streaming(started);
    expect((await post({ stream: 'true' })).status).toBe(502);
    streaming([{ type: 'transcription.text.delta', text: 'a' }, ...Array(400).fill(started[0]), started[1] as object]);
    const { status, text } = await post({ stream: 'true' });
    expect([200, 502]).toContain(status);
    expect(text).toContain('upstream_interrupted');
  });

  it('a file of the workspace and an address are transcribed, in a form and in JSON [TRANSCRIPTION-SOURCE]', async () => {
    const { id, purpose } = await uploaded(server, sound, { purpose: 'audio' }, { filename: 'stored.wav' });
    expect(purpose).toBe('audio');
    const { url } = (await call(server, `/v1/files/${id}/url`)).body as { url: string };
    for (const [source, name] of [
      [{ file_id: id }, 'stored.wav'],
      [{ file_url: `${address}/talk.wav` }, 'talk.wav'],
      [{ file_url: url }, 'download'],
    ] as const) {
      expect(await post(source, { file: null })).toMatchObject({ status: 200, body: { text: TRANSCRIPT.text } });
      expect(transcriber.forms.at(-1)?.file).toEqual({ name, bytes: sound });
      const body = { model: 'ear', ...source, timestamp_granularities: ['segment'], stream: false };
      expect(await call(server, '/v1/audio/transcriptions', { body })).toMatchObject({
        status: 200,
        body: { segments: { length: 2 } },
      });
      // As the official Python SDK sends it where there is no file.
      const form = new URLSearchParams({ model: 'ear', ...source, stream: 'false' });
      form.append('timestamp_granularities', 'segment');
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      expect(await call(server, '/v1/audio/transcriptions', { raw: String(form), headers })).toMatchObject({
        status: 200,
        body: { segments: { length: 2 } },
      });
    }
    expect(leftovers()).toEqual([]);
  });

  it.each([
    ['text', 'text/plain', 'Good morning. How are you?\n'],
    ['srt', 'application/x-subrip', '1\n00:00:00,000 --> 00:00:01,500\nGood morning.\n'],
    ['vtt', 'text/vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nGood morning.\n'],
    ['verbose_json', 'application/json', '"duration":3.2'],
  ])('the format %s of other clients is written [TRANSCRIPTION-FORMATS]', async (response_format, type, part) => {
    const { status, headers, text } = await post({ response_format });
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining(type)]);
    expect(text).toContain(part);
  });

  it("words come as segments, also from a server that knows only Mistral's fields [TRANSCRIPTION-SPEAKERS]", async () => {
    transcriber.answerWith(({ fields }, response) =>
      fields.response_format
        ? reply(response, 422, { detail: 'unknown field response_format' })
        : reply(response, 200, {
            text: 'Hi Bo',
            language: 'en',
            segments: [
              { text: 'Hi', start: 0, end: 0.4, speaker_id: 'a' },
              { text: 'Bo', start: 0.5, end: 0.9, speaker_id: 'b' },
            ],
            usage: { prompt_audio_seconds: 1, completion_tokens: 2 },
          }),
    );
    const { body } = await post({ timestamp_granularities: 'word', diarize: 'true' });
    expect(body).toMatchObject({
      segments: [
        { text: 'Hi', speaker_id: 'a' },
        { text: 'Bo', speaker_id: 'b' },
      ],
      usage: { prompt_audio_seconds: 1 },
    });
    expect(transcriber.forms.at(-1)?.fields.timestamp_granularities).toEqual(['word']);
  });

  it('recordings of known speakers go to the server as its API takes them: JSON with base64', async () => {
    const speaker_references = { 'Ann "A."': 'UklGRg==', Bob: `data:audio/wav;base64,${sound.toString('base64')}` };
    const { status } = await post({ diarize: 'true', speaker_references: JSON.stringify(speaker_references) });
    expect(status).toBe(200);
    const { fields, file } = transcriber.forms.at(-1) ?? {};
    expect(JSON.parse(fields?.speaker_references?.[0] ?? '')).toEqual({
      'Ann "A."': 'UklGRg==',
      Bob: sound.toString('base64'),
    });
    expect([fields?.diarize, file?.bytes]).toEqual([['true'], sound]);
    expect(leftovers()).toEqual([]);
  });

  it('seconds of audio are in the ledger, as kind transcription and at the price of the model [TRANSCRIPTION-USAGE]', async () => {
    const { db } = server.platform.database;
    const { headers } = await post({});
    const ofRequest = () =>
      db
        .selectFrom('usage_records')
        .select(['kind', 'model', 'prompt_tokens', 'cost_micros'])
        .where('request_id', '=', headers.get('x-request-id') ?? '')
        .execute();
    await expect
      .poll(ofRequest, { timeout: 20_000 })
      .toEqual([{ kind: 'transcription', model: 'ear', prompt_tokens: 4, cost_micros: 4_000_000 }]);
  });
});

describe('guardrails', () => {
  const thresholds = { violence_and_threats: 0.5 };
  const moderation_llm_v2 = {
    action: 'block',
    ignore_other_categories: true,
    custom_category_thresholds: thresholds,
  };
  const guardrails = JSON.stringify([{ moderation_llm_v2 }]);
  const verdict = { score: 0.1, violated: false };
  const passed = [{ moderation_llm_v2: { action: 'pass', categories: { violence_and_threats: verdict } } }];

  it('let harmless speech pass and say so, whole and streamed [TRANSCRIPTION-GUARDRAILS]', async () => {
    expect(await post({ guardrails })).toMatchObject({ status: 200, body: { guardrails: passed } });
    const { text } = await post({ guardrails, stream: 'true' });
    const events = text.split('\n').filter((line) => line.startsWith('data: '));
    expect(JSON.parse(events.at(-1)?.slice(6) ?? '')).toMatchObject({ text: TRANSCRIPT.text, guardrails: passed });
    expect((await post({})).body).not.toHaveProperty('guardrails');
  });

  it('block the text before the client has any of it, whole and streamed [TRANSCRIPTION-GUARDRAILS]', async () => {
    transcriber.answerWith((_form, response) => reply(response, 200, { text: 'Let us fight.' }));
    for (const fields of [{ guardrails }, { guardrails, stream: 'true' }, { guardrails, response_format: 'srt' }]) {
      const { status, text } = await post(fields);
      expect(status).toBe(403);
      expect(text).toContain('violence_and_threats');
      expect(text).not.toContain('Let us fight');
    }
  });

  it('are checked a piece at a time in a long stream, which ends at the first that is blocked', async () => {
    transcriber.answerWith((_form, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const say = (text: string) =>
        response.write(`data: ${JSON.stringify({ type: 'transcription.text.delta', text })}\n\n`);
      for (let i = 0; i < 200; i++) say('harmless ');
      // The first pieces are told while the server still speaks.
      setImmediate(() => {
        say('Let us fight. ');
        response.end('data: [DONE]\n\n');
      });
    });
    const { text } = await post({ guardrails, stream: 'true' });
    expect(text).not.toContain('fight.');
    expect(text).toContain('violence_and_threats');
  });

  it.each([
    ['that are no JSON', 'strict', 422],
    ['of an unknown kind', '[{"other":{}}]', 422],
    ['with a model that is not there', '[{"moderation_llm_v1":{"model_name":"nobody"}}]', 400],
  ])('%s are refused before anything is transcribed', async (_name, given, status) => {
    const before = transcriber.forms.length;
    expect((await post({ guardrails: given })).status).toBe(status);
    expect(transcriber.forms.length).toBe(before);
    expect(leftovers()).toEqual([]);
  });
});

describe('sound in a message', () => {
  const ask = async (model: string, input_audio: string) => {
    const before = chatServer.calls.length;
    const content = [
      { type: 'input_audio', input_audio },
      { type: 'text', text: 'What is said?' },
    ];
    const answer = await call(server, '/v1/chat/completions', {
      body: { model, messages: [{ role: 'user', content }] },
    });
    const sent = chatServer.calls[before]?.body as { messages: { content: unknown }[] } | undefined;
    return { status: answer.status, body: answer.body, sent: JSON.stringify(sent?.messages[0]?.content) };
  };

  it('is transcribed once for a model that does not hear, and sent as it is to one that does [TRANSCRIPTION-CHAT]', async () => {
    const base64 = sound.toString('base64');
    const heard = transcriber.forms.length;
    for (let turn = 0; turn < 2; turn++) {
      const { status, sent } = await ask('talker', base64);
      expect([status, sent]).toEqual([200, expect.stringContaining('Good morning. How are you?')]);
      expect(sent).not.toContain(base64);
    }
    expect(transcriber.forms.length - heard).toBe(1);
    expect((await ask('hearer', base64)).sent).toContain(base64);
  });

  it('at an address is fetched, so that no address reaches a server in a place for base64', async () => {
    expect((await ask('talker', `${address}/talk.wav`)).sent).toContain('Good morning.');
    const { sent } = await ask('hearer', `${address}/talk.wav`);
    expect(sent).toContain(sound.toString('base64'));
    expect(sent).not.toContain(address);
    expect(await ask('hearer', 'http://127.0.0.1:1/secret')).toMatchObject({ status: 400, sent: undefined });
    expect(await ask('talker', 'not base64 at all')).toMatchObject({ status: 400, sent: undefined });
  });
});

describe('a batch', () => {
  it('transcribes files of the workspace [TRANSCRIPTION-BATCH]', async () => {
    const { id } = await uploaded(server, sound, { purpose: 'audio' }, { filename: 'stored.wav' });
    const { body } = await call(server, '/v1/batch/jobs', {
      body: {
        endpoint: '/v1/audio/transcriptions',
        model: 'ear',
        requests: [{ custom_id: 'a', body: { file_id: id } }],
      },
    });
    const job = (body as { id: string }).id;
    await expect
      .poll(async () => (await call(server, `/v1/batch/jobs/${job}?inline=true`)).body, { timeout: 20_000 })
      .toMatchObject({
        status: 'SUCCESS',
        outputs: [{ custom_id: 'a', response: { status_code: 200, body: { text: TRANSCRIPT.text } } }],
      });
  });
});

describe('refusals', () => {
  it('without a key is 401, and to a file of another workspace 404', async () => {
    expect((await post({}, { key: '' })).status).toBe(401);
    const { id } = await uploaded(server, sound, { purpose: 'audio' }, { filename: 'stored.wav' });
    const key = await addStranger(server);
    expect((await post({ file_id: id }, { file: null, key })).status).toBe(404);
  });

  it.each([
    ['no audio', {}, null, 422, 'file_url'],
    ['two sources', { file_url: 'https://example.com/a.wav' }, sound, 422, 'only one'],
    ['a language that is none', { language: 'english' }, sound, 422, 'language'],
    ['a temperature that is none', { temperature: 'hot' }, sound, 422, 'temperature'],
    ['a bias with spaces', { context_bias: 'two words' }, sound, 422, 'context_bias.0'],
    ['an unknown granularity', { timestamp_granularities: 'syllable' }, sound, 422, 'timestamp_granularities'],
    ['speakers without diarize', { speaker_references: '{"Ann":"UklGRg=="}' }, sound, 422, 'diarize'],
    ['speakers that are no JSON', { diarize: 'true', speaker_references: 'Ann' }, sound, 422, 'speaker_references'],
    ['a stream of subtitles', { stream: 'true', response_format: 'srt' }, sound, 422, 'streamed'],
    ['an unknown model', { model: 'nobody' }, sound, 400, 'nobody'],
    ['a model that does not transcribe', { model: 'talker' }, sound, 400, 'audio_transcription'],
    ['an address that is not allowed', { file_url: 'http://127.0.0.1:1/a.wav' }, null, 400, ''],
    ['a file id that is none', { file_id: 'nothing' }, null, 404, 'nothing'],
    ['a file that is too large', {}, Buffer.alloc(2 * 1024 * 1024), 413, 'larger'],
  ])('%s is refused, and nothing is left behind', async (_name, fields, file, status, part) => {
    const before = transcriber.forms.length;
    const answer = await post(fields as Fields, { file });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(part)]);
    expect(transcriber.forms.length).toBe(before);
    expect(leftovers()).toEqual([]);
  });

  it('a URL-encoded form with too many fields is refused before they are built', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await call(server, '/v1/audio/transcriptions', { raw: '&a=1'.repeat(1_000_000), headers });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('more than 256 fields')]);
  });

  it('an address that fails or holds too much is a clear 4xx', async () => {
    expect(await post({ file_url: `${address}/nothing.wav` }, { file: null })).toMatchObject({ status: 400 });
    expect(await post({ file_url: `${address}/large.wav` }, { file: null })).toMatchObject({ status: 413 });
    expect(leftovers()).toEqual([]);
  });

  it('a server that refuses the audio is a 400, and one that fails a 502 or 503, also for a stream', async () => {
    transcriber.answerWith((_form, response) => reply(response, 400, { message: 'not audio' }));
    expect((await post({ stream: 'true' })).status).toBe(400);
    transcriber.answerWith((_form, response) => reply(response, 200, { words: 'none' }));
    expect((await post({})).status).toBe(502);
  });
});
