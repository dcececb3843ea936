import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { decode, ffmpeg, purityOf } from '../../test/support/ffmpeg.ts';
import { inFull } from '../../test/support/in-full.ts';
import { addColleague } from '../../test/support/people.ts';
import {
  audioOf,
  collect,
  createTone,
  eventsOf,
  post,
  SECONDS_PER_LETTER,
  type SpeechServer,
  serveSpeech,
  TONE_HERTZ,
  type ToneEngine,
  wavForTests,
} from './speech-for-tests.ts';

const SPEECH = '/v1/audio/speech';
const TEXT = 'Good day to you. This is one more sentence! And the last.';
const SECONDS = TEXT.replaceAll(/[^a-z]/gi, '').length * SECONDS_PER_LETTER;
const FORMATS = ['pcm', 'wav', 'mp3', 'flac', 'opus'];

let server: SpeechServer;
let engine: ToneEngine;
let cloning: ToneEngine;
let open: ToneEngine;
beforeAll(async () => {
  engine = createTone();
  cloning = createTone({
    name: 'mimic',
    voices: [{ slug: 'carl', name: 'Carl', languages: ['fr'], gender: null }],
    defaultVoice: 'carl',
    clones: true,
  });
  open = createTone({ name: 'elsewhere', voices: [], defaultVoice: 'alloy' });
  server = await serveSpeech(sqliteForTests(), { tone: engine, mimic: cloning, open, silent: undefined });
});
beforeEach(() => {
  server.usage.length = 0;
});

const speak = (body: Record<string, unknown>) => call(server, SPEECH, { body: { input: 'Hello.', ...body } });
const bytesOf = ({ body }: { body: unknown }) => Buffer.from((body as { audio_data: string }).audio_data, 'base64');
const stream = async (body: Record<string, unknown>) =>
  collect(eventsOf(await post(server, { input: TEXT, stream: true, ...body })));

describe('200', () => {
  it('a whole answer is JSON with audio_data and nothing else, mp3 by default [SPEECH-CREATE] [SPEECH-RESPONSE] [SPEECH-MODEL]', async () => {
    const answer = await speak({});
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(answer.body as object)).toEqual(['audio_data']);
    expect(bytesOf(answer).readUInt16BE(0) & 0xfff0).toBe(0xfff0);
    expect(Number(answer.headers.get('content-length'))).toBe(answer.text.length);
  });

  it('the headers name the model and the engine that spoke', async () => {
    for (const [model, name] of [
      [null, 'tone'],
      ['mimic', 'mimic'],
    ] as const) {
      const { headers } = await speak({ model });
      expect([headers.get('tramontane-model'), headers.get('tramontane-speech-engine')]).toEqual([name, name]);
    }
  });

  it('a stream is deltas and then one done with the usage [SPEECH-STREAM] [SPEECH-DELTA] [SPEECH-DONE] [SPEECH-STREAM-ITEM] [SPEECH-STREAM-ORDER]', async () => {
    const response = await post(server, { input: TEXT, stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('tramontane-speech-engine')).toBe('tone');
    const events = await collect(eventsOf(response));
    const last = events.pop();
    expect(events.length).toBeGreaterThan(2);
    for (const { event, data } of events)
      expect([event, data]).toEqual([
        'speech.audio.delta',
        { type: event, audio_data: expect.stringMatching(/^[\w+/]+=*$/) },
      ]);
    expect([last?.event, last?.data.type]).toEqual(['speech.audio.done', 'speech.audio.done']);
  });

  it('the usage has all nine fields, a token for four characters and for 80 ms [SPEECH-USAGE] [SPEECH-USAGE-PROMPT-DETAILS] [SPEECH-USAGE-MESSAGE] [SPEECH-USAGE-COMPLETION-DETAILS]', async () => {
    const data = (await stream({})).at(-1)?.data;
    const [prompt, completion] = [Math.ceil(TEXT.length / 4), Math.ceil(SECONDS * 12.5)];
    const details = {
      messages: [{ role: 'user', total_tokens: prompt, truncated: false, usage_count: 1 }],
      cached_tokens: 0,
      audio_tokens: 0,
    };
    expect(data?.usage).toEqual({
      prompt_audio_seconds: null,
      prompt_tokens: prompt,
      total_tokens: prompt + completion,
      completion_tokens: completion,
      request_count: 1,
      prompt_tokens_details: details,
      completion_tokens_details: { reasoning_tokens: 0 },
      prompt_token_details: details,
      num_cached_tokens: 0,
    });
    expect(server.usage).toMatchObject([
      { kind: 'speech', model: 'tone', status: 200, usage: { promptTokens: prompt, completionTokens: completion } },
    ]);
  });

  describe.runIf(ffmpeg)('heard by another program', () => {
    it.each(FORMATS)(
      '%s is one valid file of the right length, whole and in the deltas of a stream [SPEECH-STREAM-AUDIO] [SPEECH-FORMATS]',
      async (response_format) => {
        const whole = bytesOf(await speak({ input: TEXT, response_format }));
        const streamed = audioOf(await stream({ response_format }));
        for (const file of [whole, streamed]) {
          const { samples, complaints } = decode(file, response_format, engine.sampleRate);
          expect(complaints).toBe('');
          expect(samples.length / engine.sampleRate).toBeGreaterThan(SECONDS - 0.001);
          expect(samples.length / engine.sampleRate).toBeLessThan(SECONDS + (response_format === 'mp3' ? 0.12 : 0.001));
          // The pieces begin at other places of the wave, so the tone is one only as far as each goes.
          expect(purityOf(samples.subarray(2000, 20_000), TONE_HERTZ, engine.sampleRate)).toBeGreaterThan(0.99);
        }
      },
    );
  });

  it('pcm is float32, little-endian, the samples as they are; others have the length of the same sound [SPEECH-STREAM-AUDIO] [SPEECH-FORMATS]', async () => {
    const pcm = audioOf(await stream({ response_format: 'pcm' }));
    expect(pcm.length).toBe(Math.round(SECONDS * 24_000) * 4);
    expect(pcm.readFloatLE(4)).toBeCloseTo(0.5 * Math.sin((2 * Math.PI * TONE_HERTZ) / 24_000), 6);
    expect(bytesOf(await speak({ input: TEXT, response_format: 'pcm' })).equals(pcm)).toBe(true);
    expect(audioOf(await stream({ response_format: 'wav' })).length).toBe(44 + pcm.length / 2);
  });

  it('the first sentence leaves before the last is made', async () => {
    const made = engine.made;
    const response = await post(server, { input: 'One. '.repeat(10_000), stream: true, response_format: 'pcm' });
    const events = eventsOf(response);
    await events.next();
    expect(engine.made - made).toBeLessThan(10_000);
    await events.return(undefined);
  });

  it('unknown fields are no mistake, nor are those that only other servers use [SPEECH-OPEN]', async () => {
    expect(
      await speak({ speed: 2, metadata: { team: 'blue' }, prompt_cache_key: 'k', nested: { a: [1] } }),
    ).toMatchObject({ status: 200 });
  });

  it('text of any kind reaches the engine as it is', async () => {
    for (const input of ['Grüße, 你好, здравствуй 😀!', 'a\u0000b\u0007c', 'half a pair \ud800 x', 'x'.repeat(10)]) {
      expect(await speak({ input, response_format: 'pcm' })).toMatchObject({ status: 200 });
      expect(engine.requests.at(-1)?.text).toBe(input.toWellFormed());
    }
  });

  it('what an engine says beyond the limits of sound is cut there', async () => {
    const { speak: before } = engine;
    engine.speak = async function* () {
      yield Float32Array.from([2, -3, Number.NaN, Number.POSITIVE_INFINITY, 0.5]);
    };
    const pcm = bytesOf(await speak({ response_format: 'pcm' }));
    engine.speak = before;
    expect([0, 4, 8, 12, 16].map((at) => pcm.readFloatLE(at))).toEqual([1, -1, 0, 1, 0.5]);
  });
});

describe('voices', () => {
  const last = () => engine.requests.at(-1)?.voice;

  it('a slug or the id of a preset speaks, and nobody named is the default [SPEECH-VOICE]', async () => {
    await speak({ voice_id: 'ben' });
    expect(last()).toBe('ben');
    await speak({});
    expect(last()).toBe('anna');
    const { body } = await call(server, '/v1/audio/voices/ben');
    await speak({ voice_id: (body as { id: string }).id.toUpperCase() });
    expect(last()).toBe('ben');
  });

  it('without a model the voice finds its own', async () => {
    const { headers } = await speak({ voice_id: 'carl' });
    expect(headers.get('tramontane-model')).toBe('mimic');
  });

  it('a voice of another model is refused with its name', async () => {
    const { status, body } = await speak({ model: 'tone', voice_id: 'carl' });
    expect([status, body]).toMatchObject([
      400,
      { type: 'invalid_request_error', message: expect.stringContaining("belongs to the model 'mimic'") },
    ]);
  });

  it('an engine that does not tell its voices gets any name', async () => {
    expect(await speak({ model: 'open', voice_id: 'nova' })).toMatchObject({ status: 200 });
    expect(open.requests.at(-1)?.voice).toBe('nova');
  });

  it('ref_audio reaches an engine that clones, as it was sent [SPEECH-REF-AUDIO]', async () => {
    const ref_audio = wavForTests();
    const { status, headers } = await speak({ ref_audio: ref_audio.toString('base64') });
    expect([status, headers.get('tramontane-model')]).toEqual([200, 'mimic']);
    expect(ref_audio.equals(cloning.requests.at(-1)?.refAudio as Buffer)).toBe(true);
  });

  it('a custom voice is its sample, by id and by slug; an engine that cannot clone says so', async () => {
    const sample = wavForTests();
    const made = await call(server, '/v1/audio/voices', {
      body: { name: 'Dora', slug: 'dora', sample_audio: sample.toString('base64') },
    });
    for (const voice_id of ['dora', (made.body as { id: string }).id]) {
      expect(await speak({ voice_id })).toMatchObject({ status: 200 });
      expect(sample.equals(cloning.requests.at(-1)?.refAudio as Buffer)).toBe(true);
      expect(await speak({ voice_id, model: 'tone' })).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining("'tone' cannot clone voices") },
      });
    }
  });
});

describe('400', () => {
  it.each([
    [
      'an unknown model',
      { model: 'nothing' },
      {
        type: 'invalid_model',
        code: '1500',
        message: expect.stringMatching(/^Invalid model: nothing\. .* engine: kokoro }$/),
      },
    ],
    ['a model that cannot speak', { model: 'silent' }, { message: expect.stringContaining("'silent' cannot speak") }],
    [
      'ref_audio on an engine that cannot clone',
      { model: 'tone', ref_audio: wavForTests().toString('base64') },
      { message: expect.stringContaining("'tone' cannot clone voices") },
    ],
    [
      'voice_id and ref_audio together',
      { voice_id: 'anna', ref_audio: wavForTests().toString('base64') },
      { message: 'Send voice_id or ref_audio, not both.' },
    ],
  ])('%s [SPEECH-MODEL] [SPEECH-REF-AUDIO]', async (_name, body, expected) => {
    for (const isStreamed of [false, true])
      expect(await speak({ ...body, stream: isStreamed })).toMatchObject({
        status: 400,
        body: { object: 'error', type: 'invalid_request_error', param: null, ...expected },
      });
    expect(server.usage).toEqual([]);
  });

  it('a server without a model that speaks says so', async () => {
    const mute = await serveSpeech(sqliteForTests(), { silent: undefined });
    expect(await call(mute, SPEECH, { body: { input: 'Hello.' } })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('no model that can speak') },
    });
  });

  it('a whole answer of more than 96 MiB is refused and says to stream; what was spoken is billed', async () => {
    const { speak: before } = engine;
    const piece = new Float32Array(24_000 * 60);
    let minutes = 0;
    engine.speak = async function* () {
      for (; ; minutes++) yield piece;
    };
    const answer = await speak({ response_format: 'pcm' });
    engine.speak = before;
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('stream: true') } });
    expect(minutes).toBe(Math.floor((96 * 1024 * 1024) / piece.byteLength));
    expect(server.usage).toMatchObject([{ status: 400, usage: { completionTokens: expect.any(Number) } }]);
    expect(server.usage[0]?.usage.completionTokens).toBeGreaterThan(12.5 * 60 * minutes);
  });
});

describe('401 and 403', () => {
  it('no key, a wrong key and a role that may not', async () => {
    expect(await call(server, SPEECH, { key: '', body: { input: 'x' } })).toMatchObject({ status: 401 });
    expect(await call(server, SPEECH, { key: 'wrong', body: { input: 'x' } })).toMatchObject({ status: 401 });
    const key = await addColleague(server, 'billing');
    expect(await call(server, SPEECH, { key, body: { input: 'x' } })).toMatchObject({ status: 403 });
  });
});

describe('404', () => {
  it.each(['nobody', '7c9e6679-7425-40de-944b-e07fc1f90ae7', '', 'a\u0000b', '../anna', 'x'.repeat(256)])(
    'an unknown voice (%#) [SPEECH-VOICE]',
    async (voice_id) => {
      const { status, body } = await speak({ model: 'tone', voice_id });
      expect([status, body]).toMatchObject([
        404,
        { type: 'not_found_error', message: expect.stringContaining('No voice') },
      ]);
    },
  );
});

describe('422', () => {
  it.each([
    ['without an input', { input: undefined }, 'input', 'missing'],
    ['with a number', { input: 5 }, 'input', 'string_type'],
    ['empty', { input: '' }, 'input', 'value_error'],
    ['white space', { input: ' \n\t\u00a0\u200b\u0007 ' }, 'input', 'value_error'],
    ['nothing that can be said', { input: '😀 … 😀' }, 'input', 'nothing_to_say'],
    ['longer than 200,000 characters', { input: 'a'.repeat(200_001) }, 'input', 'value_error'],
    ['another format', { response_format: 'aac' }, 'response_format', 'enum'],
    ['a stream that is no boolean', { stream: 'yes' }, 'stream', 'bool_parsing'],
    ['ref_audio that is no base64', { ref_audio: 'a b c!' }, 'ref_audio', 'invalid_audio'],
    ['ref_audio that is empty', { ref_audio: '' }, 'ref_audio', 'invalid_audio'],
    [
      'ref_audio that is no sound',
      { ref_audio: Buffer.from('hello, world').toString('base64') },
      'ref_audio',
      'invalid_audio',
    ],
    [
      'ref_audio of more than 10 MiB',
      { ref_audio: Buffer.concat([wavForTests(), Buffer.alloc(10 * 1024 * 1024)]).toString('base64') },
      'ref_audio',
      'invalid_audio',
    ],
  ])('%s [SPEECH-422] [SPEECH-INPUT]', async (_name, body, field, type) => {
    for (const isStreamed of [false, true]) {
      const answer = await call(server, SPEECH, { body: { input: 'x', stream: isStreamed, ...body } });
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } });
      if (field !== 'stream') expect(answer).toMatchObject({ body: { detail: [{ type }] } });
    }
    expect(server.usage.filter(({ usage }) => usage.promptTokens + usage.completionTokens > 0)).toEqual([]);
  });

  it('no body, and a body that is no JSON [SPEECH-BODY] [SPEECH-422]', async () => {
    for (const raw of ['', '{"input":', '[]', 'null'])
      expect(await call(server, SPEECH, { method: 'POST', raw })).toMatchObject({
        status: 422,
        body: { detail: [expect.anything()] },
      });
  });
});

describe('an engine that breaks down', () => {
  it('before the first sound is an ordinary error that costs nothing', async () => {
    for (const isStreamed of [false, true]) {
      engine.breaksBefore = 0;
      expect(await speak({ stream: isStreamed })).toMatchObject({
        status: 500,
        body: { object: 'error', type: 'server_error' },
      });
    }
    expect(server.usage.map(({ status, usage }) => [status, usage.promptTokens])).toEqual([
      [500, 0],
      [500, 0],
    ]);
  });

  it('in the middle of a stream is an error event, what was heard is billed, and the next request works', async () => {
    engine.breaksBefore = 2;
    const events = await stream({ response_format: 'wav' });
    expect(events.map(({ event }) => event).filter((event, i, all) => event !== all[i - 1])).toEqual([
      'speech.audio.delta',
      'error',
    ]);
    expect(events.at(-1)?.data).toEqual({
      object: 'error',
      message: 'Something went wrong on our side. Report the request id to the operator.',
      type: 'server_error',
      param: null,
      code: 'speech_failed',
    });
    expect(server.usage).toMatchObject([{ status: 500 }]);
    expect(server.usage[0]?.usage.completionTokens).toBeGreaterThan(0);
    expect((await stream({})).at(-1)?.event).toBe('speech.audio.done');
  });

  it('in the middle of a whole answer is a 500, and the next request works', async () => {
    engine.breaksBefore = 1;
    expect(await speak({ input: TEXT })).toMatchObject({ status: 500, body: { type: 'server_error' } });
    expect(await speak({ input: TEXT })).toMatchObject({ status: 200 });
  });
});

describe('a client that leaves', () => {
  const endless = `${randomBytes(4).toString('hex').replaceAll(/\d/g, 'x')}. `.repeat(20_000);

  it.each([true, false])(
    'ends the synthesis and pays for what was made (streamed: %s) [SPEECH-CANCEL]',
    async (isStreamed) => {
      const ended = engine.ended;
      const made = engine.made;
      const leaving = new AbortController();
      const answer = post(
        server,
        { input: endless, stream: isStreamed, response_format: 'opus' },
        { signal: leaving.signal },
      );
      if (isStreamed) await eventsOf(await answer).next();
      else await vi.waitFor(() => expect(engine.made).toBeGreaterThan(made + 1));
      leaving.abort();
      if (!isStreamed) await expect(answer).rejects.toThrow();
      await vi.waitFor(() => expect(server.usage).toHaveLength(1));
      expect(engine.ended).toBe(ended + 1);
      expect(server.usage).toMatchObject([{ status: 499, usage: { promptTokens: endless.length / 4 } }]);
      expect(server.usage[0]?.usage.completionTokens).toBeGreaterThan(0);
    },
  );

  it('and one that only reads slowly holds the engine back', async () => {
    const made = engine.made;
    const leaving = new AbortController();
    const response = await post(
      server,
      { input: endless, stream: true, response_format: 'pcm' },
      { signal: leaving.signal },
    );
    await eventsOf(response).next();
    // Time enough for thousands of pieces, if anybody made them.
    for (let i = 0; i < 30; i++) await speak({ input: TEXT, model: 'mimic' });
    expect(engine.made - made).toBeLessThan(500);
    leaving.abort();
    await vi.waitFor(() => expect(server.usage.some(({ status }) => status === 499)).toBe(true));
  });
});

inFull.it('100,000 characters are streamed in flat memory', async () => {
  const { speak: before } = engine;
  const piece = new Float32Array(24_000 * 3);
  engine.speak = async function* ({ text }) {
    for (let start = 0; start < text.length; start += 100) yield piece;
  };
  const response = await post(server, {
    input: 'Some words. '.repeat(8334).slice(0, 100_000),
    stream: true,
    response_format: 'pcm',
  });
  globalThis.gc?.();
  const rss = process.memoryUsage.rss();
  let [bytes, most] = [0, 0];
  for await (const { data } of eventsOf(response)) {
    bytes += Buffer.byteLength((data.audio_data as string | undefined) ?? '', 'base64');
    most = Math.max(most, process.memoryUsage.rss());
  }
  engine.speak = before;
  expect(bytes).toBe(1000 * piece.byteLength);
  // 288 MB of sound, 384 MB on the wire, in a process that is server and client at once.
  expect((most - rss) / 1024 / 1024).toBeLessThan(150);
});

it('limits hold as for every inference: headers with each answer, 429 when they are used up', async () => {
  const limited = await serveSpeech(
    sqliteForTests(),
    { tone: createTone() },
    { file: { limits: { key: { requests_per_second: 1 } } } },
  );
  const answers = await Promise.all([1, 2, 3].map(() => call(limited, SPEECH, { body: { input: 'Hello.' } })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
  const [refused] = answers.filter(({ status }) => status === 429);
  expect(refused?.body).toMatchObject({ type: 'rate_limited', code: '1300' });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answers.find(({ status }) => status === 200)?.headers.get('x-ratelimit-limit-req-minute')).toBe('60');
});
