import type { Engine, SpeechEngine } from '../../engine.ts';
import { engineErrors, refuseChat } from '../../errors.ts';
import { planSpeech } from '../text/plan-speech.ts';
import type { EspeakProcess, Turn } from './process.ts';
import { ESPEAK_SAMPLE_RATE } from './protocol.ts';
import { DEFAULT_ESPEAK_VOICE, type EspeakVoice, espeakVoiceFor, espeakVoices, findEspeakVoice } from './voices.ts';

/** The process is blocked while it speaks a piece, and other requests wait as long. */
const LENGTHS = { longest: 160, longestFirst: 120 };

/** eSpeak NG as a voice: fast, in some hundred languages. */
export function createEspeakEngine(process: EspeakProcess): Engine & { speech: SpeechEngine } {
  return {
    ...refuseChat('speaks'),
    speech: {
      name: 'espeak-ng',
      sampleRate: ESPEAK_SAMPLE_RATE,
      voices: espeakVoices,
      defaultVoice: DEFAULT_ESPEAK_VOICE,
      clones: false,
      speak({ text, voice, tenant }, signal) {
        const found = findEspeakVoice(voice);
        if (!found) throw engineErrors.unknown_voice('eSpeak NG', voice);
        return speakWith(process, { text, voice: found, variant: '', tenant }, signal);
      },
    },
    state: process.state,
    // The process is shared; its creator closes it.
    close: async () => undefined,
  };
}

/** `variant` is a timbre of the library, such as `+f3`, or empty. */
export async function* speakWith(
  process: EspeakProcess,
  { text, voice, variant, tenant }: { text: string; voice: EspeakVoice; variant: string } & Pick<Turn, 'tenant'>,
  signal: AbortSignal,
): AsyncGenerator<Float32Array, void> {
  const [language = 'en'] = voice.languages;
  let isContinued = false;
  for (const runs of planSpeech(text, language, LENGTHS)) {
    for (const run of runs) {
      const reader = run.language === language ? voice : (espeakVoiceFor(run.language) ?? voice);
      yield* process.speak(reader.identifier + variant, run.text, signal, { tenant, isContinued });
      isContinued = true;
    }
  }
}
