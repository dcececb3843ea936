import type { Clock } from '../../kit/base/clock.ts';
import type { Scope, SseEvent } from '../../kit/http/index.ts';
import { type Call, type Meter, type Run, type RunRequest, startRun } from '../../metering/index.ts';
import { deprecationHeaders } from '../../models/index.ts';
import { tenantOf } from '../../tenants/index.ts';
import type { EncodingThread, RemoteEncoder } from '../encode/encoding-thread.ts';
import { speechErrors } from '../errors.ts';
import { parseAudio } from '../parse-audio.ts';
import { findPreset } from '../presets.ts';
import { collectSpeech, openSpeechStream, type Speech } from '../relay-speech.ts';
import type { SpeechRequest } from '../schema/speech.ts';
import { speakMetered } from '../speak-metered.ts';
import { listSpeakers, type Speaker, type SpeakingModels, speakersFor } from '../speakers.ts';
import { estimateTokens } from '../usage.ts';
import type { VoiceService } from './voices.ts';

/** As JSON a third more; an hour and a half of mp3, twenty minutes of pcm. */
const WHOLE_BYTES_MAX = 96 * 1024 * 1024;

export type SpeechService = {
  /** The bytes of the whole file, in pieces. */
  speak(call: Call, request: SpeechRequest): Promise<Uint8Array[]>;
  /** Rejects when it fails before the first sound. */
  stream(call: Call, request: SpeechRequest): Promise<AsyncIterable<SseEvent>>;
};

export type SpeechPorts = {
  models: SpeakingModels;
  voices: Pick<VoiceService, 'findCustom' | 'readSample'>;
  encoding: EncodingThread;
  meter: Meter;
  now: Clock;
};

type Chosen = Speaker & { voice: string; refAudio?: Uint8Array };

export function createSpeechService({ models, voices, encoding, meter, now }: SpeechPorts): SpeechService {
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

  async function choose(scope: Scope, { model, voice_id, ref_audio }: SpeechRequest): Promise<Chosen> {
    const asked = speakersFor(models, scope.workspace_id, model);
    const [first] = asked as [Speaker];
    if (ref_audio != null) {
      if (voice_id != null) throw speechErrors.two_voices();
      const { bytes } = parseAudio(ref_audio, 'ref_audio');
      return clone(asked, bytes, 'ref_audio cannot be used here');
    }
    if (voice_id == null) return { ...first, voice: first.speech.defaultVoice };
    for (const speaker of asked) {
      const preset = findPreset(speaker.speech, voice_id);
      if (preset) return { ...speaker, voice: preset.slug };
    }
    const custom = await voices.findCustom(scope, voice_id);
    if (custom)
      return clone(asked, await voices.readSample(custom), `The custom voice '${voice_id}' cannot be used here`);
    const open = asked.find(({ speech }) => speech.voices.length === 0);
    if (open) return { ...open, voice: voice_id };
    const other = listSpeakers(models, scope.workspace_id).find(({ speech }) => findPreset(speech, voice_id));
    throw other ? speechErrors.voice_of_other_model(voice_id, other.model.id) : speechErrors.voice_not_found(voice_id);
  }

  return {
    speak: async (call, request) => collectSpeech(await open(call, request), WHOLE_BYTES_MAX),
    stream: async (call, request) => openSpeechStream(await open(call, request)),
  };
}

/** Speaks like a recording; few engines can. */
function clone(speakers: Speaker[], refAudio: Uint8Array, refusal: string): Chosen {
  const speaker = speakers.find(({ speech }) => speech.clones);
  if (speaker) return { ...speaker, voice: speaker.speech.defaultVoice, refAudio };
  const names = speakers.map(({ model }) => `'${model.id}'`).join(', ');
  throw speechErrors.cloning_unsupported(
    `${refusal}: ${names} cannot clone voices. Choose a preset voice from /v1/audio/voices.`,
  );
}
