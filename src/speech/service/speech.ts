import type { Clock } from '../../kit/base/clock.ts';
import type { SseEvent } from '../../kit/http/index.ts';
import { type Call, type Meter, type Run, type RunRequest, startRun } from '../../metering/index.ts';
import { deprecationHeaders } from '../../models/index.ts';
import { tenantOf } from '../../tenants/index.ts';
import type { ChooseVoice } from '../choose-voice.ts';
import type { EncodingThread, RemoteEncoder } from '../encode/encoding-thread.ts';
import { collectSpeech, openSpeechStream, type Speech } from '../relay-speech.ts';
import type { SpeechRequest } from '../schema/speech.ts';
import { speakMetered } from '../speak-metered.ts';
import { estimateTokens } from '../usage.ts';

/** As JSON a third more; an hour and a half of mp3, twenty minutes of pcm. */
const WHOLE_BYTES_MAX = 96 * 1024 * 1024;

export type SpeechService = {
  /** The bytes of the whole file, in pieces. */
  speak(call: Call, request: SpeechRequest): Promise<Uint8Array[]>;
  /** Rejects when it fails before the first sound. */
  stream(call: Call, request: SpeechRequest): Promise<AsyncIterable<SseEvent>>;
};

export type SpeechPorts = {
  choose: ChooseVoice;
  encoding: EncodingThread;
  meter: Meter;
  now: Clock;
};

export function createSpeechService({ choose, encoding, meter, now }: SpeechPorts): SpeechService {
  async function open(call: Call, request: SpeechRequest): Promise<Speech> {
    const { scope, signal, setHeader } = call;
    const { model, speech, voice, refAudio } = await choose(scope, request);
    const text = request.input.toWellFormed();
    const tenant = tenantOf(scope);
    const encoder = encoding.open(request.response_format, speech.sampleRate, { tenant, signal });
    const cost = { kind: 'speech' as const, model: model.id, estimatedTokens: estimateTokens(text) };
    const run = await admit(call, cost, encoder);
    for (const [name, value] of Object.entries(deprecationHeaders(model))) setHeader(name, value);
    setHeader('tramontane-model', model.id);
    setHeader('tramontane-speech-engine', speech.name);
    return {
      text,
      pieces: speakMetered(speech, { text, voice, tenant, ...(refAudio && { refAudio }) }, signal, run),
      encoder,
      sampleRate: speech.sampleRate,
      run,
      signal,
    };
  }

  async function admit(call: Call, cost: RunRequest, encoder: RemoteEncoder): Promise<Run> {
    try {
      return await startRun({ now, meter }, call, cost);
    } catch (error) {
      encoder.close();
      throw error;
    }
  }

  return {
    speak: async (call, request) => collectSpeech(await open(call, request), WHOLE_BYTES_MAX),
    stream: async (call, request) => openSpeechStream(await open(call, request)),
  };
}
