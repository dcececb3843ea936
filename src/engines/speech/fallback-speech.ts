import type { SpeechEngine } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import type { PulledEngine } from '../pulled-engine.ts';
import { speakWith } from './espeak/engine.ts';
import type { EspeakProcess } from './espeak/process.ts';
import { ESPEAK_SAMPLE_RATE } from './espeak/protocol.ts';
import { findEspeakVoice } from './espeak/voices.ts';
import { DEFAULT_KOKORO_VOICE, findKokoroVoice, kokoroVoices } from './kokoro/voices.ts';

/** The timbre that is nearest to a woman's. */
const FEMALE = '+f3';

/** Kokoro's voices as eSpeak NG can speak them: the same language and gender. */
export function createFallbackSpeech(process: EspeakProcess): SpeechEngine {
  return {
    name: 'espeak-ng',
    sampleRate: ESPEAK_SAMPLE_RATE,
    voices: kokoroVoices,
    defaultVoice: DEFAULT_KOKORO_VOICE,
    clones: false,
    speak({ text, voice: slug, tenant }, signal) {
      const wanted = findKokoroVoice(slug);
      const voice = wanted && findEspeakVoice(wanted.espeak);
      if (!voice) throw engineErrors.unknown_voice('Kokoro', slug);
      return speakWith(process, { text, voice, variant: wanted.gender === 'female' ? FEMALE : '', tenant }, signal);
    },
  };
}

/** Listing voices reads `speech` too, and must not ask a registry again that has just failed. */
const LOOK_AGAIN_MS = 10_000;

/**
 * Kokoro once its weights are here and load, the fallback until then. Reading `speech` also looks for the weights again; a
 * lazy one downloads them only when it speaks. A Kokoro that cannot be loaded is not tried again before the next start.
 */
export function withFallbackSpeech(
  pulled: PulledEngine,
  fallback: SpeechEngine,
  isLazy = false,
): PulledEngine & { speech: SpeechEngine } {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  const meanwhile: SpeechEngine = isLazy
    ? {
        ...fallback,
        speak(request, signal, tally) {
          if (performance.now() - fetchedAt > LOOK_AGAIN_MS && !pulled.current()) {
            fetchedAt = performance.now();
            void pulled.prepare();
          }
          return fallback.speak(request, signal, tally);
        },
      }
    : fallback;
  return {
    ...pulled,
    get speech() {
      const engine = pulled.current();
      if (!engine && performance.now() - lookedAt > LOOK_AGAIN_MS) {
        lookedAt = performance.now();
        void pulled.prepare({ onlyInstalled: isLazy });
      }
      return engine?.speech && engine.state().kind !== 'failed' ? engine.speech : meanwhile;
    },
  };
}
