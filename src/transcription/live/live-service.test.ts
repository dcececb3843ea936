import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Mistral } from '@mistralai/mistralai';
import { RealtimeTranscription } from '@mistralai/mistralai/extra/realtime/index.js';
import pino from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { connectSocket } from '../../../test/support/json-socket.ts';
import { python } from '../../../test/support/python.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import {
  type Engine,
  engineErrors,
  type ListenOptions,
  type LivePart,
  type TranscriptionEngine,
} from '../../engines/index.ts';
import { guardrailErrors } from '../../guardrails/index.ts';
import { systemClock } from '../../kit/base/clock.ts';
import { createHttpServer, createIdempotency } from '../../kit/http/index.ts';
import type { UsageRecord } from '../../metering/index.ts';
import type { Model } from '../../models/index.ts';
import { createAuthenticator } from '../../tenants/index.ts';
import {
  createAudioStage,
  createClientSessionService,
  createLiveTranscriptionService,
  liveTranscriptionRoutes,
} from '../index.ts';

const PATH = '/v1/audio/transcriptions/realtime';
const RATE = 16_000;

/** An engine that hears a word in each second of sound. */
function createEar() {
  const asked: ListenOptions[] = [];
  const state = { breaks: false, left: 0 };
  /** What is in the recordings that it gets, which are gone later. */
  const known: Record<string, string>[] = [];
  const transcription: TranscriptionEngine = {
    transcribe: () => {
      throw new Error('Nobody sends files here.');
    },
    async listen(options, signal, tally) {
      asked.push(options);
      if (options.language === 'xx') throw engineErrors.language_not_spoken('The model does not know xx.');
      const files = Object.entries(options.speakerReferences ?? {});
      known.push(Object.fromEntries(files.map(([name, file]) => [name, readFileSync(file, 'utf8')])));
      const speaker = files[0]?.[0];
      let samples = 0;
      const waiting: LivePart[][] = [];
      let wake: (() => void) | undefined;
      const give = (...parts: LivePart[]) => {
        waiting.push(parts);
        wake?.();
      };
      let isOver = false;
      signal.addEventListener('abort', () => wake?.(), { once: true });
      async function* read(): AsyncGenerator<LivePart[]> {
        try {
          for (;;) {
            signal.throwIfAborted();
            const parts = waiting.shift();
            if (parts) yield parts;
            else if (isOver) return;
            else
              await new Promise<void>((resolve) => {
                wake = resolve;
              });
          }
        } finally {
          state.left += 1;
        }
      }
      return {
        async feed(sound) {
          if (state.breaks) throw new Error('the process of the engine ended');
          const before = Math.floor(samples / RATE);
          samples += sound.length;
          for (let second = before; second < Math.floor(samples / RATE); second++) {
            tally?.add({ promptTokens: 1, completionTokens: 1 });
            give(...(second === 0 ? [{ kind: 'language' as const, language: 'en' }] : []), {
              kind: 'text',
              text: ` word${second}`,
            });
          }
        },
        async flush() {
          const who = speaker === undefined ? {} : { speaker };
          give({ kind: 'segment', text: 'flushed', start: 0, end: samples / RATE, ...who });
          if (!options.turnDetection) return;
          give({ kind: 'turn', event: 'eager_end', seconds: 1 }, { kind: 'turn', event: 'resume', seconds: 1.2 });
          give({ kind: 'turn', event: 'end', seconds: 2, reason: 'threshold' });
        },
        async end() {
          give({ kind: 'end', seconds: samples / RATE });
          isOver = true;
          wake?.();
        },
        parts: read(),
      };
    },
  };
  return { asked, state, known, transcription };
}

const ear = createEar();
const usage: UsageRecord[] = [];
const stageDir = temporaryDir();
/** Blocks the third word. */
const guardrails = {
  check: async (_call: unknown, wanted: readonly unknown[], [text = '']: readonly string[]) => {
    if (text.includes('word2')) throw guardrailErrors.guardrail_blocked('violence_and_threats');
    return wanted.map(() => ({ moderation_llm_v2: { action: 'pass' as const } }));
  },
};
let server: TestServer;
let issued: ReturnType<typeof createClientSessionService>;

beforeAll(async () => {
  const base = await startTestServer(sqliteForTests());
  const { platform } = base;
  const models = [
    { id: 'ear', engine: { transcription: ear.transcription } as Engine } as Model,
    { id: 'files', engine: { transcription: { transcribe: ear.transcription.transcribe } } as Engine } as Model,
  ];
  const ports = {
    models: { find: (name: string) => models.find(({ id }) => id === name), served: () => models },
    meter: {
      reserve: () => ({ headers: {}, settle: (record: UsageRecord) => void usage.push(record) }),
    },
    now: systemClock,
    stage: createAudioStage(stageDir),
    guardrails,
  };
  const authenticator = createAuthenticator(platform.database, platform.keysSignal, systemClock);
  await authenticator.start();
  issued = createClientSessionService({ ...ports, tokens: authenticator.clientTokens });
  const http = createHttpServer({
    routes: liveTranscriptionRoutes(createLiveTranscriptionService(ports as never), issued),
    authenticate: authenticator.authenticate,
    access: authenticator.authority,
    log: pino({ level: 'silent' }),
    idempotency: createIdempotency(platform.database, systemClock),
    checkResponses: true,
  });
  const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
  atEnd(async () => {
    await http.drain(0);
    await authenticator.stop();
  });
  server = { ...base, url };
});

const second = Buffer.alloc(RATE * 2);
const append = (bytes = second) => ({ type: 'input_audio.append', audio: bytes.toString('base64') });

describe('a live transcription', () => {
  it('says what it is, tells words as they are heard, and in the end all of it', async () => {
    const client = connectSocket(server, `${PATH}?model=ear`);
    expect(await client.next()).toEqual({
      type: 'session.created',
      session: {
        request_id: expect.any(String),
        model: 'ear',
        audio_format: { encoding: 'pcm_s16le', sample_rate: RATE },
        target_streaming_delay_ms: null,
        diarize: null,
        context_bias: null,
        language: null,
        speaker_references: null,
        turn_detection: null,
      },
    });
    client.send(append());
    expect(await client.next()).toEqual({ type: 'transcription.language', audio_language: 'en' });
    expect(await client.next()).toEqual({ type: 'transcription.text.delta', text: 'word0' });
    client.send(append());
    expect(await client.next()).toEqual({ type: 'transcription.text.delta', text: ' word1' });
    client.send({ type: 'input_audio.flush' });
    expect(await client.next()).toMatchObject({ type: 'transcription.segment', text: 'flushed', start: 0, end: 2 });
    client.send({ type: 'input_audio.end' });
    expect(await client.next()).toMatchObject({
      type: 'transcription.done',
      model: 'ear',
      text: 'word0 word1',
      language: 'en',
      segments: [{ text: 'flushed', start: 0, end: 2 }],
      usage: { prompt_audio_seconds: 2 },
    });
    expect(await client.closed).toBe(1000);
    expect(usage.at(-1)).toMatchObject({
      kind: 'transcription',
      model: 'ear',
      status: 200,
      usage: { promptTokens: 2 },
    });
  });

  it('takes its settings before the first audio and not after', async () => {
    const client = connectSocket(server, `${PATH}?model=ear`);
    await client.next();
    const session = {
      audio_format: { encoding: 'pcm_mulaw', sample_rate: 8000 },
      language: 'de',
      context_bias: ['Tramontane'],
      target_streaming_delay_ms: 480,
    };
    client.send({ type: 'session.update', session });
    expect(await client.next()).toMatchObject({ type: 'session.updated', session });
    client.send(append(Buffer.alloc(8000)));
    client.send(append(Buffer.alloc(800)));
    expect(await client.next()).toMatchObject({ type: 'transcription.language' });
    expect(ear.asked.at(-1)).toMatchObject({ language: 'de', contextBias: ['Tramontane'], delayMs: 480 });
    client.send({ type: 'session.update', session: { language: 'en' } });
    expect((await client.rest()).at(-1)).toMatchObject({ type: 'error', error: { code: 400 } });
  });

  it('tells speakers apart by their recordings, which are gone afterwards', async () => {
    const client = connectSocket(server, `${PATH}?model=ear`);
    await client.next();
    const recording = Buffer.from('sound of Ann').toString('base64');
    client.send({ type: 'session.update', session: { diarize: true, speaker_references: { Ann: recording } } });
    expect(await client.next()).toMatchObject({ session: { diarize: true, speaker_references: ['Ann'] } });
    client.send(append());
    client.send({ type: 'input_audio.flush' });
    client.send({ type: 'input_audio.end' });
    const messages = await client.rest();
    expect(messages).toContainEqual(expect.objectContaining({ type: 'transcription.segment', speaker_id: 'Ann' }));
    expect(ear.asked.at(-1)).toMatchObject({ diarize: true });
    expect(ear.known.at(-1)).toEqual({ Ann: 'sound of Ann' });
    expect(readdirSync(stageDir)).toEqual([]);
  });

  it('whose client leaves before any audio leaves no recording behind', async () => {
    const client = connectSocket(server, `${PATH}?model=ear`);
    await client.next();
    client.send({ type: 'session.update', session: { diarize: true, speaker_references: { Ann: 'UklGRg==' } } });
    await client.next();
    expect(readdirSync(stageDir)).toHaveLength(1);
    client.close();
    await expect.poll(() => readdirSync(stageDir)).toEqual([]);
  });

  it('tells of turns where it is asked to', async () => {
    const client = connectSocket(server, `${PATH}?model=ear`);
    await client.next();
    client.send({ type: 'session.update', session: { turn_detection: { start_threshold: 0.8 } } });
    const turn_detection = {
      start_threshold: 0.8,
      eager_end_threshold: 0.5,
      end_threshold: 0.33,
      min_silence_ms: 500,
      end_timeout_ms: null,
    };
    expect(await client.next()).toMatchObject({ session: { turn_detection } });
    client.send(append());
    client.send({ type: 'input_audio.flush' });
    client.send({ type: 'input_audio.end' });
    const turns = (await client.rest()).filter(({ type }) => String(type).startsWith('turn.'));
    expect(turns).toEqual([
      { type: 'turn.eager_end', time_s: 1 },
      { type: 'turn.resume', time_s: 1.2 },
      { type: 'turn.end', time_s: 2, end_reason: 'threshold' },
    ]);
    expect(ear.asked.at(-1)?.turnDetection).toMatchObject({ startThreshold: 0.8, minSilenceMs: 500 });
  });

  it('with guardrails tells an utterance once it was checked, and nothing of one that is blocked', async () => {
    const guarded = async (seconds: number) => {
      const client = connectSocket(server, `${PATH}?model=ear`);
      await client.next();
      const guardrails = [{ moderation_llm_v2: { action: 'block' } }];
      client.send({ type: 'session.update', session: { guardrails } });
      await client.next();
      for (let i = 0; i < seconds; i++) client.send(append());
      client.send({ type: 'input_audio.flush' });
      client.send({ type: 'input_audio.end' });
      return client.rest();
    };
    const passed = await guarded(2);
    expect(passed.map(({ type }) => type)).toEqual([
      'transcription.language',
      'transcription.text.delta',
      'transcription.text.delta',
      'transcription.segment',
      'transcription.done',
    ]);
    expect(passed.at(-1)).toMatchObject({ guardrails: [{ moderation_llm_v2: { action: 'pass' } }] });
    const blocked = await guarded(3);
    expect(JSON.stringify(blocked)).not.toContain('word');
    expect(blocked.at(-1)).toMatchObject({ type: 'error', error: { code: 403 } });
  });

  it('that gets no audio ends with nothing', async () => {
    const client = connectSocket(server, `${PATH}?model=ear`);
    await client.next();
    client.send({ type: 'input_audio.end' });
    expect(await client.rest()).toMatchObject([{ type: 'transcription.done', text: '', language: null, segments: [] }]);
  });

  it.each([
    ['a model that does not exist', 'nope', [], /Invalid model: nope/],
    ['a model for files only', 'files', [], /cannot follow live audio/],
    [
      'an encoding that does not exist',
      'ear',
      [{ type: 'session.update', session: { audio_format: { encoding: 'mp3', sample_rate: 16_000 } } }],
      /encoding/,
    ],
    [
      'a rate that nobody has',
      'ear',
      [{ type: 'session.update', session: { audio_format: { encoding: 'pcm_s16le', sample_rate: 1 } } }],
      /sample_rate/,
    ],
    [
      'known speakers without diarize',
      'ear',
      [{ type: 'session.update', session: { speaker_references: { Ann: 'UklGRg==' } } }],
      /diarize/,
    ],
    [
      'a speaker whose recording is not base64',
      'ear',
      [{ type: 'session.update', session: { diarize: true, speaker_references: { Ann: '!!' } } }],
      /Ann/,
    ],
    [
      'a chance above 1',
      'ear',
      [{ type: 'session.update', session: { turn_detection: { end_threshold: 2 } } }],
      /end_threshold/,
    ],
    [
      'guardrails of no kind',
      'ear',
      [{ type: 'session.update', session: { guardrails: [{ other: {} }] } }],
      /guardrails/,
    ],
    [
      'a language that the model does not know',
      'ear',
      [{ type: 'session.update', session: { language: 'xx' } }, append()],
      /does not know/,
    ],
    ['audio that is not base64', 'ear', [{ type: 'input_audio.append', audio: '!!' }], /audio/],
    ['too much audio in one message', 'ear', [append(Buffer.alloc(262_145))], /262144|349528/],
    ['a message of another protocol', 'ear', [{ type: 'input_text.append', text: 'a' }], /type/],
  ])('refuses %s in a sentence', async (_, model, messages, words) => {
    const client = connectSocket(server, `${PATH}?model=${model}`);
    for (const message of messages) client.send(message);
    const last = (await client.rest()).at(-1) as { type: string; error: { message: string } };
    expect(last.type).toBe('error');
    expect(last.error.message).toMatch(words);
    expect(await client.closed).toBe(1008);
  });

  it('whose client leaves ends at the engine, and what was heard is on the ledger', async () => {
    const { left } = ear.state;
    const client = connectSocket(server, `${PATH}?model=ear`);
    client.send(append());
    for (let i = 0; i < 3; i++) await client.next();
    client.close();
    await expect.poll(() => ear.state.left).toBe(left + 1);
    await expect.poll(() => usage.at(-1)).toMatchObject({ usage: { promptTokens: 1 } });
  });

  it.each([
    ['text that is no JSON', '{'],
    ['bytes', Buffer.from([0xff, 0x00, 0x7b])],
    ['a list', '[]'],
    ['a message without a type', '{}'],
  ])(
    'that gets %s ends with the reason, at the engine too, and what was heard is on the ledger',
    async (_, garbage) => {
      const { left } = ear.state;
      const client = connectSocket(server, `${PATH}?model=ear`);
      client.send(append());
      for (let i = 0; i < 3; i++) await client.next();
      const before = usage.length;
      client.sendRaw(garbage);
      expect((await client.rest()).at(-1)).toMatchObject({ type: 'error', error: { message: expect.any(String) } });
      expect(await client.closed).toBe(1008);
      await expect.poll(() => ear.state.left).toBe(left + 1);
      await expect.poll(() => usage.slice(before)).toMatchObject([{ usage: { promptTokens: 1 } }]);
    },
  );

  it('whose engine breaks ends with an error, and the next one works', async () => {
    ear.state.breaks = true;
    const client = connectSocket(server, `${PATH}?model=ear`);
    client.send(append());
    expect((await client.rest()).at(-1)).toMatchObject({ type: 'error', error: { code: 500 } });
    ear.state.breaks = false;
    const next = connectSocket(server, `${PATH}?model=ear`);
    next.send(append());
    next.send({ type: 'input_audio.end' });
    expect((await next.rest()).at(-1)).toMatchObject({ type: 'transcription.done', text: 'word0' });
  });

  it('has an entry on the ledger for each minute', async () => {
    const before = usage.length;
    const client = connectSocket(server, `${PATH}?model=ear`);
    for (let i = 0; i < 150; i++) client.send(append());
    client.send({ type: 'input_audio.end' });
    await client.rest();
    const entries = usage.slice(before);
    expect(entries.map((entry) => entry.usage.promptTokens)).toEqual([59, 60, 31]);
    expect(entries.map(({ scope }) => scope.isBackground ?? false)).toEqual([false, true, true]);
  });

  it('works in the official TypeScript SDK', async () => {
    const { _options: options } = new Mistral({ serverURL: server.url, apiKey: server.key }) as unknown as {
      _options: ConstructorParameters<typeof RealtimeTranscription>[0];
    };
    const events: string[] = [];
    async function* sound() {
      for (let i = 0; i < 3; i++) yield second;
    }
    let text = '';
    for await (const event of new RealtimeTranscription(options).transcribeStream(sound(), 'ear')) {
      events.push(String(event.type));
      if (event.type === 'transcription.done' && 'text' in event) ({ text } = event as { text: string });
    }
    expect(events).toEqual([
      'session.created',
      'transcription.language',
      ...Array(3).fill('transcription.text.delta'),
      'transcription.segment',
      'transcription.done',
    ]);
    expect(text).toBe('word0 word1 word2');
  });

  it.runIf(python)('works in the official Python SDK', async () => {
    const script = `
import asyncio, json, os
from mistralai.client import Mistral
from mistralai.client.models import AudioFormat, TurnDetectionConfig

async def sound():
    for _ in range(3):
        yield bytes(16000)

async def main():
    client = Mistral(api_key=os.environ["KEY"], server_url=os.environ["URL"])
    seen = [event async for event in client.audio.realtime.transcribe_stream(
        sound(), model="ear", audio_format=AudioFormat(encoding="pcm_s16le", sample_rate=8000), language="en",
        diarize=True, speaker_references={"Ann": "UklGRg=="}, turn_detection=TurnDetectionConfig(min_silence_ms=300))]
    print(json.dumps({"types": [event.type for event in seen], "text": seen[-1].text}))

asyncio.run(main())
`;
    const env = { PATH: process.env.PATH, URL: server.url, KEY: server.key };
    const { stdout } = await promisify(execFile)(python ?? '', ['-c', script], { env });
    const { types, text } = JSON.parse(stdout) as { types: string[]; text: string };
    expect(text).toBe('word0 word1 word2');
    expect(types.slice(0, 3)).toEqual(['session.created', 'session.updated', 'transcription.language']);
    expect(types).toEqual(expect.arrayContaining(['turn.eager_end', 'turn.resume', 'turn.end']));
    expect(types.at(-1)).toBe('transcription.done');
  });
});

describe('a client session', () => {
  const create = async (body: unknown, key = server.key) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/v1/client/sessions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as { client_secret: { value: string } } };
  };
  const wanted = { model: 'ear', purpose: 'realtime' };

  it('gives a token that opens live sessions with its model, in a header and as the protocol of a browser', async () => {
    const { status, body } = await create(wanted);
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'client.session',
      purpose: 'realtime',
      expires_at: expect.any(String),
      client_secret: { value: expect.stringMatching(/^client-/), expires_at: expect.any(String) },
    });
    const { value } = body.client_secret;
    const client = connectSocket({ url: server.url, key: value }, `${PATH}?model=ear`);
    expect(await client.next()).toMatchObject({ type: 'session.created' });
    const browser = connectSocket({ url: server.url }, `${PATH}?model=ear`, {
      protocols: ['tramontane', `bearer.${value}`],
    });
    expect(await browser.next()).toMatchObject({ type: 'session.created' });
  });

  it('gives a token for nothing else: no other model, no other route, no other token', async () => {
    const { value } = (await create(wanted)).body.client_secret;
    const other = connectSocket({ url: server.url, key: value }, `${PATH}?model=files`);
    expect(await other.next()).toMatchObject({ type: 'error', error: { code: 403 } });
    expect((await create(wanted, value)).status).toBe(401);
  });

  it('gives a token that no change survives, and that ends with its time and with its key', async () => {
    const { value } = (await create(wanted)).body.client_secret;
    const [text = '', mac = ''] = value.slice('client-'.length).split('.');
    const content = JSON.parse(Buffer.from(text, 'base64url').toString()) as { e: number };
    const later = Buffer.from(JSON.stringify({ ...content, e: content.e + 1000 })).toString('base64url');
    const key = `client-${later}.${mac}`;
    expect(await connectSocket({ url: server.url, key }, `${PATH}?model=ear`).refused).toBe(401);
    expect(await connectSocket({ url: server.url, key: 'client-' }, `${PATH}?model=ear`).refused).toBe(401);
    const past = await issued.create({ key_id: 'x', user_id: 'u', workspace_id: 'w' } as never, {
      model: 'ear',
      purpose: 'realtime',
      ttl_seconds: -5,
    });
    expect(await connectSocket({ url: server.url, key: past.client_secret.value }, `${PATH}?model=ear`).refused).toBe(
      401,
    );
    const gone = await issued.create({ key_id: 'x', user_id: 'u', workspace_id: 'w' } as never, {
      model: 'ear',
      purpose: 'realtime',
    });
    expect(await connectSocket({ url: server.url, key: gone.client_secret.value }, `${PATH}?model=ear`).refused).toBe(
      401,
    );
  });

  it.each([
    [{ model: 'nope', purpose: 'realtime' }, 400],
    [{ model: 'ear', purpose: 'other' }, 422],
    [{ model: 'ear', purpose: 'realtime', ttl_seconds: 0 }, 422],
    [{ model: 'ear', purpose: 'realtime', more: 1 }, 422],
  ])('refuses %j with %i', async (body, status) => {
    expect((await create(body)).status).toBe(status);
  });
});
