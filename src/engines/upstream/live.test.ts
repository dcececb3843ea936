import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createRandom } from '../../../quality/campaigns/support/random.ts';
import { atEnd } from '../../../test/support/cleanup.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { ApiError } from '../../kit/http/index.ts';
import type { ListenOptions, LivePart, LiveTranscript } from '../transcribe/index.ts';
import { createUpstreamEngine } from './upstream-engine.ts';

const RATE = 16_000;
const second = (loudness = 0.3) =>
  Float32Array.from({ length: RATE }, (_, at) => loudness * Math.sin((at * 440 * 2 * Math.PI) / RATE));

type Message = { type: string; audio?: string; session?: object };
type Script = (socket: WebSocket, message: Message | undefined) => void;

/** A server with Mistral's WebSocket, and with files beside it. */
async function startServer(script: Script | number, transcript: object = { text: 'One.', language: 'en' }) {
  const received: Message[] = [];
  const requests: IncomingMessage[] = [];
  const files: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    files.push(Buffer.concat(chunks));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(transcript));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, connection, head) => {
    requests.push(request);
    if (typeof script === 'number') {
      connection.end(`HTTP/1.1 ${script} Nothing\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, connection, head, (socket) => {
      socket.on('error', () => undefined);
      socket.on('message', (data) => {
        const message = JSON.parse(String(data)) as Message;
        received.push(message);
        script(socket, message);
      });
      script(socket, undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, received, requests, files };
}

const say = (socket: WebSocket, ...messages: object[]) => {
  for (const message of messages) socket.send(JSON.stringify(message));
};
const done = {
  type: 'transcription.done',
  model: 'm',
  text: 'Good morning.',
  language: 'en',
  segments: [{ text: 'Good morning.', start: 0, end: 1 }],
  usage: { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5, prompt_audio_seconds: 1 },
};
const answers = [
  { type: 'transcription.language', audio_language: 'en' },
  { type: 'transcription.text.delta', text: 'Good' },
  { type: 'transcription.text.delta', text: ' morning.' },
  { type: 'transcription.segment', text: 'Good morning.', start: 0, end: 1 },
  done,
];
const mistral: Script = (socket, message) => {
  if (!message) say(socket, { type: 'session.created', session: {} });
  else if (message.type === 'input_audio.end') say(socket, ...answers);
};

function earOf(urls: string[], { timeoutMs = 20_000 } = {}) {
  const spent: { promptTokens: number; completionTokens: number }[] = [];
  const engine = createUpstreamEngine({
    targets: urls.map((url) => ({ url, apiKey: 'upstream-secret', model: 'far ear', timeoutMs })),
    transcribes: true,
    listens: true,
    retry: { backoffMs: 1 },
  });
  atEnd(() => engine.close());
  const tally = { add: (usage: (typeof spent)[number]) => void spent.push(usage), admit: () => undefined };
  return {
    spent,
    listen: async (options: ListenOptions = {}, signal = new AbortController().signal): Promise<LiveTranscript> => {
      const live = await engine.transcription?.listen?.(options, signal, tally);
      if (!live) throw new Error('it does not listen');
      return live;
    },
  };
}

async function partsOf({ parts }: LiveTranscript): Promise<LivePart[]> {
  const all: LivePart[] = [];
  for await (const heard of parts) all.push(...heard);
  return all;
}

async function listenToAll(ear: ReturnType<typeof earOf>, sounds: Float32Array[], options?: ListenOptions) {
  const live = await ear.listen(options);
  const heard = partsOf(live);
  heard.catch(() => undefined);
  for (const sound of sounds) await live.feed(sound);
  await live.end();
  return heard;
}

describe('a live session at a server with the WebSocket', () => {
  it('is passed on: settings, sound, words, segments and the end, and each second is counted', async () => {
    const server = await startServer(mistral);
    const ear = earOf([server.url]);
    const options = { language: 'en', contextBias: ['Tramontane'], delayMs: 480 };
    expect(await listenToAll(ear, [second(), second().subarray(0, 8000)], options)).toEqual([
      { kind: 'language', language: 'en' },
      { kind: 'text', text: 'Good' },
      { kind: 'text', text: ' morning.' },
      { kind: 'segment', text: 'Good morning.', start: 0, end: 1 },
      { kind: 'end', seconds: 1.5 },
    ]);
    const [request] = server.requests;
    expect(request?.url).toBe('/v1/audio/transcriptions/realtime?model=far%20ear');
    expect(request?.headers.authorization).toBe('Bearer upstream-secret');
    expect(server.received.map(({ type }) => type)).toEqual([
      'session.update',
      'input_audio.append',
      'input_audio.append',
      'input_audio.flush',
      'input_audio.end',
    ]);
    expect(server.received[0]?.session).toEqual({
      audio_format: { encoding: 'pcm_s16le', sample_rate: RATE },
      language: 'en',
      context_bias: ['Tramontane'],
      target_streaming_delay_ms: 480,
    });
    expect(Buffer.from(server.received[1]?.audio ?? '', 'base64')).toHaveLength(2 * RATE);
    expect(ear.spent).toEqual([
      { promptTokens: 1, completionTokens: 0 },
      { promptTokens: 1, completionTokens: 0 },
      { promptTokens: 0, completionTokens: 4 },
    ]);
  });

  it('is asked for speakers and turns, and tells what the server says of them', async () => {
    const server = await startServer((socket, message) => {
      if (message?.type !== 'input_audio.end') return mistral(socket, message);
      say(socket, { type: 'turn.start', time_s: 0.1 }, ...answers.slice(0, 3));
      say(socket, { type: 'transcription.segment', text: 'Good morning.', start: 0, end: 1, speaker_id: 'Ann' });
      say(socket, { type: 'turn.eager_end', time_s: 1 }, { type: 'turn.resume', time_s: 1.1 });
      say(socket, { type: 'turn.end', time_s: 1.2, end_reason: 'timeout' }, done);
    });
    const turnDetection = { startThreshold: 0.6, eagerEndThreshold: 0.5, endThreshold: 0.3, minSilenceMs: 400 };
    const recording = join(temporaryDir(), 'ann.wav');
    writeFileSync(recording, 'RIFF');
    const options = { diarize: true, speakerReferences: { Ann: recording }, turnDetection };
    expect(await listenToAll(earOf([server.url]), [second()], options)).toEqual([
      { kind: 'turn', event: 'start', seconds: 0.1 },
      { kind: 'language', language: 'en' },
      { kind: 'text', text: 'Good' },
      { kind: 'text', text: ' morning.' },
      { kind: 'segment', text: 'Good morning.', start: 0, end: 1, speaker: 'Ann' },
      { kind: 'turn', event: 'eager_end', seconds: 1 },
      { kind: 'turn', event: 'resume', seconds: 1.1 },
      { kind: 'turn', event: 'end', seconds: 1.2, reason: 'timeout' },
      { kind: 'end', seconds: 1 },
    ]);
    expect(server.received[0]?.session).toMatchObject({
      diarize: true,
      speaker_references: { Ann: Buffer.from('RIFF').toString('base64') },
      turn_detection: {
        start_threshold: 0.6,
        eager_end_threshold: 0.5,
        end_threshold: 0.3,
        min_silence_ms: 400,
        end_timeout_ms: null,
      },
    });
  });

  it('goes to the next server when the first cannot be reached or refuses', async () => {
    const refusing = await startServer((socket) => say(socket, { type: 'error', error: { code: 503, message: 'x' } }));
    const server = await startServer(mistral);
    const ear = earOf(['http://127.0.0.1:1/v1', refusing.url, server.url]);
    expect((await listenToAll(ear, [second()])).at(-1)).toEqual({ kind: 'end', seconds: 1 });
  });

  it('ends at the server when its reader leaves, and when its signal aborts', async () => {
    const closed: number[] = [];
    const server = await startServer((socket, message) => {
      if (message) return;
      socket.once('close', (code) => closed.push(code));
      say(socket, { type: 'session.created' }, { type: 'transcription.text.delta', text: 'a' });
    });
    const live = await earOf([server.url]).listen();
    for await (const _ of live.parts) break;
    await expect.poll(() => closed.length, { timeout: 20_000 }).toBe(1);
    const leaving = new AbortController();
    const left = await earOf([server.url]).listen({}, leaving.signal);
    leaving.abort();
    await expect(partsOf(left)).rejects.toThrow(/abort/i);
    await expect.poll(() => closed.length, { timeout: 20_000 }).toBe(2);
  });

  it.each([
    ['refuses the key', 401, 'upstream_misconfigured'],
    ['fails', 500, 'upstream_unavailable'],
    ['says nothing', (() => undefined) as Script, 'upstream_timeout'],
    ['leaves', ((socket) => socket.terminate()) as Script, 'upstream_interrupted'],
    ['sends what is not JSON', ((socket) => socket.send('{')) as Script, 'upstream_invalid_response'],
    [
      'refuses the session',
      ((socket) => say(socket, { type: 'error', error: { code: 422 } })) as Script,
      'upstream_rejected_request',
    ],
  ])('a server that %s is an error with a code', async (_, script, code) => {
    const server = await startServer(script);
    await expect(earOf([server.url], { timeoutMs: 300 }).listen()).rejects.toMatchObject({ code });
  });

  it('whatever a server sends, the session ends, with its words or with a 4xx or 5xx of the server', async () => {
    const random = createRandom(4711);
    for (let round = 0; round < rounds(40, 1000); round++) {
      const server = await startServer((socket, message) => {
        if (!message) say(socket, { type: 'session.created' });
        else if (message.type === 'input_audio.end') {
          for (const answer of answers) socket.send(mutate(random, JSON.stringify(answer)));
          if (random() < 0.3) socket.terminate();
        }
      });
      const outcome = await listenToAll(earOf([server.url], { timeoutMs: 200 }), [second()]).catch((error) => error);
      if (!Array.isArray(outcome)) {
        expect(outcome).toBeInstanceOf(ApiError);
        expect([400, 502, 504]).toContain((outcome as ApiError).status);
      }
    }
  });
});

function mutate(random: () => number, text: string): string | Buffer {
  const at = Math.floor(random() * text.length);
  const kind = Math.floor(random() * 6);
  if (kind === 0) return text.slice(0, at);
  if (kind === 1) return text.replace(/"(text|start|type|audio_language)":/, '"$1":[null],"x":');
  if (kind === 2) return Buffer.from([0xff, 0x00, 0x7b]);
  if (kind === 3) return text.replace(/\d+/, '1e999');
  if (kind === 4) return `${'['.repeat(50_000)}`;
  return text;
}

describe('a live session at a server that only takes files', () => {
  it.each([404, 405, 426])('with %i is cut at pauses, and each utterance is told with its times', async (status) => {
    const server = await startServer(status);
    const ear = earOf([server.url]);
    const silence = new Float32Array(RATE);
    const parts = await listenToAll(ear, [silence, second(), silence, second(), second(), silence, silence]);
    expect(parts).toEqual([
      { kind: 'language', language: 'en' },
      { kind: 'text', text: ' One.' },
      { kind: 'segment', text: 'One.', start: expect.closeTo(0.7, 0), end: expect.closeTo(2.6, 1) },
      { kind: 'text', text: ' One.' },
      { kind: 'segment', text: 'One.', start: expect.closeTo(2.7, 0), end: expect.closeTo(5.6, 1) },
      { kind: 'end', seconds: 7 },
    ]);
    expect(server.files).toHaveLength(2);
    expect(server.files[0]?.includes('WAVEfmt ')).toBe(true);
    expect(ear.spent.reduce((sum, { promptTokens }) => sum + promptTokens, 0)).toBe(7);
    // It is known then, and not asked again.
    await listenToAll(ear, [silence]);
    expect(server.requests).toHaveLength(1);
    expect(server.files).toHaveLength(2);
  });

  it('sends what was said so far when the client flushes, and nothing for silence', async () => {
    const server = await startServer(404);
    const live = await earOf([server.url]).listen();
    await live.feed(second());
    await live.flush();
    const iterator = live.parts[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject([{ kind: 'language' }, { text: ' One.' }, { end: 1 }]);
    await live.flush();
    await live.end();
    expect((await iterator.next()).value).toEqual([{ kind: 'end', seconds: 1 }]);
    expect(server.files).toHaveLength(1);
  });

  it('refuses speakers and turns, which a file cannot tell live', async () => {
    const server = await startServer(404);
    const turnDetection = { startThreshold: 0.5, eagerEndThreshold: 0.5, endThreshold: 0.3, minSilenceMs: 500 };
    for (const options of [{ diarize: true }, { turnDetection }])
      await expect(earOf([server.url]).listen(options)).rejects.toMatchObject({
        status: 400,
        code: 'live_option_unavailable',
      });
  });

  it('fails with the reason of the server', async () => {
    const server = await startServer(404, { words: 'none' });
    await expect(listenToAll(earOf([server.url]), [second()])).rejects.toMatchObject({
      code: 'upstream_invalid_response',
    });
  });
});
