import { badRequest } from '../../../kit/http/index.ts';
import type { Engine, SpeakRequest, SpeechEngine } from '../../engine.ts';
import { onlySpeaks } from '../only-speaks.ts';
import { planSpeech } from '../text/plan-speech.ts';
import type { EspeakProcess } from './process.ts';
import { ESPEAK_SAMPLE_RATE } from './questions.ts';
import { DEFAULT_ESPEAK_VOICE, type EspeakVoice, espeakVoiceFor, espeakVoices, findEspeakVoice } from './voices.ts';

/** Its process hears nothing while it says a piece, and others wait as long. */
const LENGTHS = { longest: 160, longestFirst: 120 };

/** eSpeak NG as a voice: at once, in some hundred languages. */
export function createEspeakEngine(process: EspeakProcess): Engine & { speech: SpeechEngine } {
  return {
    ...onlySpeaks(),
    speech: {
      name: 'espeak-ng',
      sampleRate: ESPEAK_SAMPLE_RATE,
      voices: espeakVoices,
      defaultVoice: DEFAULT_ESPEAK_VOICE,
      clones: false,
      speak({ text, voice }, signal) {
        const found = findEspeakVoice(voice);
        if (!found) throw badRequest(`eSpeak NG has no voice '${voice}'.`);
        return speakWith(process, { text, voice: found, variant: '' }, signal);
      },
    },
    state: process.state,
    // The process is shared, and closed by whoever made it.
    close: async () => undefined,
  };
}

/** `variant` is a timbre of the library, such as `+f3`, or nothing. */
export async function* speakWith(
  process: EspeakProcess,
  { text, voice, variant }: Pick<SpeakRequest, 'text'> & { voice: EspeakVoice; variant: string },
  signal: AbortSignal,
): AsyncGenerator<Float32Array, void> {
  process.admit();
  const [language = 'en'] = voice.languages;
  for (const runs of planSpeech(text, language, LENGTHS)) {
    for (const run of runs) {
      const reader = run.language === language ? voice : (espeakVoiceFor(run.language) ?? voice);
      const question = { kind: 'speak' as const, voice: reader.identifier + variant, text: run.text };
      for await (const samples of process.ask(question, signal)) if (typeof samples !== 'string') yield samples;
    }
  }
}
