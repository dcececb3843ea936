import pino from 'pino';
import { atEnd } from '../../test/support/cleanup.ts';
import { type TestDatabase, temporaryDir } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { limitDefaults } from '../compose/limit-defaults.ts';
import type { Engine, PresetVoice, SpeakRequest, SpeechEngine } from '../engines/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import { type Blobs, createBlobs } from '../kit/blobs/index.ts';
import { createHttpServer, createIdempotency, createPageTokens } from '../kit/http/index.ts';
import { createTasks } from '../kit/tasks/index.ts';
import { createMeter, createMetering, type UsageRecord } from '../metering/index.ts';
import type { Model } from '../models/index.ts';
import { createAuthenticator } from '../tenants/index.ts';
import { openSpeech, speechRoutes, type VoiceService, voiceRoutes } from './index.ts';

/** A voice that is a tone: a tenth of a second for each letter, a piece for each sentence. */
export type ToneEngine = SpeechEngine & {
  requests: SpeakRequest[];
  /** How many pieces it has made, of all requests. */
  made: number;
  /** How many requests were ended before their last piece. */
  ended: number;
  /** Before which piece it breaks down, counted from 0; for one request. */
  breaksBefore?: number;
};

export const SECONDS_PER_LETTER = 0.1;
export const TONE_HERTZ = 440;

export const voicesForTests: PresetVoice[] = [
  { slug: 'anna', name: 'Anna', languages: ['de-DE'], gender: 'female' },
  { slug: 'ben', name: 'Ben', languages: ['en-US', 'en-GB'], gender: 'male' },
];

export function createTone(options: Partial<SpeechEngine> = {}): ToneEngine {
  const engine: ToneEngine = {
    name: 'tone',
    sampleRate: 24_000,
    voices: voicesForTests,
    defaultVoice: 'anna',
    clones: false,
    requests: [],
    made: 0,
    ended: 0,
    speak: (request, signal) => speak(engine, request, signal),
    ...options,
  };
  return engine;
}

async function* speak(engine: ToneEngine, request: SpeakRequest, signal: AbortSignal): AsyncGenerator<Float32Array> {
  engine.requests.push(request);
  const { breaksBefore } = engine;
  delete engine.breaksBefore;
  let isWhole = false;
  try {
    for (const [index, sentence] of request.text.split(/(?<=[.!?])\s+/).entries()) {
      if (index === breaksBefore) throw new Error('the process of the engine ended');
      signal.throwIfAborted();
      const letters = sentence.match(/\p{L}/gu)?.length ?? 0;
      if (letters === 0) continue;
      engine.made++;
      yield tone(letters * SECONDS_PER_LETTER, engine.sampleRate);
    }
    isWhole = true;
  } finally {
    if (!isWhole) engine.ended++;
  }
}

export function tone(seconds: number, sampleRate: number): Float32Array {
  const step = (2 * Math.PI * TONE_HERTZ) / sampleRate;
  return Float32Array.from({ length: Math.round(seconds * sampleRate) }, (_, i) => 0.5 * Math.sin(i * step));
}

export type SpeechServer = TestServer & { usage: UsageRecord[]; voices: VoiceService; blobs: Blobs; blobsDir: string };

/** The room behind real HTTP, keys, limits and data, with tones at the border where engines are. */
export async function serveSpeech(
  database: TestDatabase,
  engines: Record<string, SpeechEngine | undefined>,
  options: Parameters<typeof startTestServer>[1] = {},
): Promise<SpeechServer> {
  const base = await startTestServer(database, options);
  const { platform } = base;
  const metering = createMetering({
    database: platform.database,
    audit: platform.audit,
    now: systemClock,
    log: pino({ level: 'silent' }),
    defaults: limitDefaults(base.config),
  });
  await metering.start();
  const usage: UsageRecord[] = [];
  const models = Object.entries(engines).map(([id, speech]) => modelOf(id, speech));
  const meter = createMeter(metering);
  const blobsDir = `${temporaryDir()}/voices`;
  const blobs = createBlobs({ dir: blobsDir });
  const room = openSpeech({
    database: platform.database,
    blobs,
    tasks: createTasks({ database: platform.database, now: systemClock }),
    audit: platform.audit,
    tokens: createPageTokens('secret'),
    models: { find: (name) => models.find(({ id }) => id === name), served: () => models },
    meter: {
      async reserve(scope, request) {
        const reservation = await meter.reserve(scope, request);
        const settle = (record: UsageRecord) => {
          usage.push(record);
          reservation.settle(record);
        };
        return { ...reservation, settle };
      },
    },
    now: systemClock,
  });
  const authenticator = createAuthenticator(platform.database, platform.keysSignal, systemClock);
  await authenticator.start();
  const http = createHttpServer({
    routes: [...speechRoutes(room.speech, room.live), ...voiceRoutes(room.voices)],
    authenticate: authenticator.authenticate,
    log: pino({ level: 'trace' }, { write: (line: string) => void base.logs.push(line) }),
    idempotency: createIdempotency(platform.database, systemClock),
    checkResponses: true,
  });
  const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
  atEnd(async () => {
    await http.drain(0);
    await authenticator.stop();
    await room.stop();
    await metering.stop();
  });
  return { ...base, url, usage, voices: room.voices, blobs, blobsDir };
}

const noCapability: Model['capabilities'] = {
  completion_chat: false,
  function_calling: false,
  reasoning: false,
  completion_fim: false,
  fine_tuning: false,
  vision: false,
  ocr: false,
  classification: false,
  moderation: false,
  audio: false,
  audio_transcription: false,
  audio_transcription_realtime: false,
  audio_speech: false,
  unified_resources: false,
};

function modelOf(id: string, speech: SpeechEngine | undefined): Model {
  return {
    id,
    aliases: [],
    name: null,
    description: null,
    max_context_length: 4096,
    capabilities: { ...noCapability, audio_speech: speech !== undefined },
    deprecation: null,
    replacement: null,
    temperature: null,
    engine: { ...(speech && { speech }) } as Engine,
  };
}

export function post({ url, key }: Pick<TestServer, 'url' | 'key'>, body: unknown, init: RequestInit = {}) {
  return fetch(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  });
}

export type StreamEvent = { event: string; data: Record<string, unknown> };

/** The events of a stream as they come; heartbeats are comments. */
export async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames.filter((text) => !text.startsWith(':'))) {
      const [event = '', data = ''] = frame.split('\n');
      yield { event: event.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
    }
  }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export function audioOf(events: StreamEvent[]): Buffer {
  return Buffer.concat(events.map(({ data }) => Buffer.from((data.audio_data as string | undefined) ?? '', 'base64')));
}

/** A second of silence as WAV. */
export function wavForTests(): Buffer {
  const header = Buffer.from(
    '524946460000000057415645666d7420100000000100010040' + '1f0000803e0000020010006461746100000000',
    'hex',
  );
  header.writeUInt32LE(36 + 16_000, 4);
  header.writeUInt32LE(16_000, 40);
  return Buffer.concat([header, Buffer.alloc(16_000)]);
}
