import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Mistral } from '@mistralai/mistralai';
import { RealtimeTranscription } from '@mistralai/mistralai/extra/realtime/index.js';
import pino from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { connectSocket } from '../../../test/support/json-socket.ts';
import { python } from '../../../test/support/python.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import type { Engine, ListenOptions, LivePart, TranscriptionEngine } from '../../engines/index.ts';
import { systemClock } from '../../kit/base/clock.ts';
import { createHttpServer, createIdempotency } from '../../kit/http/index.ts';
import type { UsageRecord } from '../../metering/index.ts';
import type { Model } from '../../models/index.ts';
import { createAuthenticator } from '../../tenants/index.ts';
import { createClientSessionService, createLiveTranscriptionService, liveTranscriptionRoutes } from '../index.ts';

const PATH = '/v1/audio/transcriptions/realtime';
const RATE = 16_000;

/** An engine that hears a word in each second of sound. */
function createEar() {
  const asked: ListenOptions[] = [];
  const state = { breaks: false, left: 0 };
  const transcription: TranscriptionEngine = {
    transcribe: () => {
      throw new Error('Nobody sends files here.');
    },
    async listen(options, signal, tally) {
      asked.push(options);
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
        flush: async () => give({ kind: 'segment', text: 'flushed', start: 0, end: samples / RATE }),
        async end() {
          give({ kind: 'end', seconds: samples / RATE });
          isOver = true;
          wake?.();
        },
        parts: read(),
      };
    },
  };
  return { asked, state, transcription };
}

const ear = createEar();
const usage: UsageRecord[] = [];
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
    ['speakers', 'ear', [{ type: 'session.update', session: { diarize: true } }], /diarize/],
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
from mistralai.client.models import AudioFormat

async def sound():
    for _ in range(3):
        yield bytes(16000)

async def main():
    client = Mistral(api_key=os.environ["KEY"], server_url=os.environ["URL"])
    seen = [event async for event in client.audio.realtime.transcribe_stream(
        sound(), model="ear", audio_format=AudioFormat(encoding="pcm_s16le", sample_rate=8000), language="en")]
    print(json.dumps({"types": [event.type for event in seen], "text": seen[-1].text}))

asyncio.run(main())
`;
    const env = { PATH: process.env.PATH, URL: server.url, KEY: server.key };
    const { stdout } = await promisify(execFile)(python ?? '', ['-c', script], { env });
    const { types, text } = JSON.parse(stdout) as { types: string[]; text: string };
    expect(text).toBe('word0 word1 word2');
    expect(types.slice(0, 3)).toEqual(['session.created', 'session.updated', 'transcription.language']);
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
