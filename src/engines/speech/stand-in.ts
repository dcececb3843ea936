import { badRequest } from '../../kit/http/index.ts';
import type { SpeechEngine } from '../engine.ts';
import type { PulledEngine } from '../pulled-engine.ts';
import { speakWith } from './espeak/engine.ts';
import type { EspeakProcess } from './espeak/process.ts';
import { ESPEAK_SAMPLE_RATE } from './espeak/questions.ts';
import { findEspeakVoice } from './espeak/voices.ts';
import { DEFAULT_KOKORO_VOICE, findKokoroVoice, kokoroVoices } from './kokoro/voices.ts';

/** The timbre that is nearest to a woman's. */
const FEMALE = '+f3';

/** Kokoro's voices as eSpeak NG can say them: the same language and gender. */
export function createStandIn(process: EspeakProcess): SpeechEngine {
  return {
    name: 'espeak-ng',
    sampleRate: ESPEAK_SAMPLE_RATE,
    voices: kokoroVoices,
    defaultVoice: DEFAULT_KOKORO_VOICE,
    clones: false,
    speak({ text, voice: slug }, signal) {
      const wanted = findKokoroVoice(slug);
      const voice = wanted && findEspeakVoice(wanted.espeak);
      if (!voice) throw badRequest(`Kokoro has no voice '${slug}'.`);
      return speakWith(process, { text, voice, variant: wanted.gender === 'female' ? FEMALE : '' }, signal);
    },
  };
}

/** Kokoro when its weights are here and can be used, its stand-in until then. Each look also looks for the weights. */
export function withStandIn(pulled: PulledEngine, standIn: SpeechEngine): PulledEngine & { speech: SpeechEngine } {
  return {
    ...pulled,
    get speech() {
      const engine = pulled.current();
      if (!engine) void pulled.prepare();
      return engine?.speech && engine.state().kind !== 'failed' ? engine.speech : standIn;
    },
  };
}
