import { availableParallelism } from 'node:os';
import type { Logger } from '../../../kit/base/log.ts';
import type { Engine, SpeechEngine } from '../../engine.ts';
import { engineErrors, refuseChat } from '../../errors.ts';
import { NATIVE_LIBRARIES } from '../../process/environment.ts';
import { superviseChild } from '../../process/supervise-child.ts';
import type { Patience } from '../../process/watch-child.ts';
import { ESPEAK_MISSING, type EspeakProcess } from '../espeak/process.ts';
import { prefetchNext } from '../prefetch-next.ts';
import { planSpeech } from '../text/plan-speech.ts';
import { pronounce } from './pronounce.ts';
import { KOKORO_SAMPLE_RATE, type KokoroRequest, type KokoroSettings } from './protocol.ts';
import { splitIds, toIds } from './vocabulary.ts';
import { DEFAULT_KOKORO_VOICE, findKokoroVoice, type KokoroVoice, kokoroVoices } from './voices.ts';

const LENGTHS = { longest: 280, longestFirst: 120 };
const PENDING_MAX = 16;

export type KokoroOptions = {
  modelFile: string;
  voicesFile: string;
  /** Tells how words are pronounced. Shared; its creator closes it. */
  espeak: EspeakProcess;
  log: Logger;
  /** Default: all cores but one. */
  threads?: number;
  waitingMax?: number;
  environment?: Record<string, string | undefined>;
  patience?: Partial<Patience>;
};

export type KokoroEngine = Engine & {
  speech: SpeechEngine;
  pid(): number | undefined;
};

/** Kokoro in a process of its own. It is large, so the first request starts it. */
export function createKokoroEngine(options: KokoroOptions): KokoroEngine {
  const { modelFile, voicesFile, espeak, threads = Math.max(1, availableParallelism() - 1) } = options;
  const child = superviseChild<KokoroSettings, KokoroRequest, Float32Array>({
    name: 'kokoro',
    subject: 'Kokoro',
    entry: new URL('child.ts', import.meta.url),
    settings: { modelFile, voicesFile, threads },
    variables: NATIVE_LIBRARIES,
    environment: options.environment,
    log: options.log,
    patience: options.patience,
  });

  async function* speak(text: string, voice: KokoroVoice, signal: AbortSignal): AsyncGenerator<Float32Array, void> {
    espeak.admit();
    child.admit(options.waitingMax ?? PENDING_MAX);
    // The model loads, which takes seconds, while the first sentence is pronounced.
    child.warm().catch(() => undefined);
    const [language = 'en'] = voice.languages;
    const leave = new AbortController();
    const until = AbortSignal.any([signal, leave.signal]);
    try {
      yield* prefetchNext(sounds(text, voice, language, until));
    } finally {
      leave.abort();
    }
  }

  async function* sounds(text: string, voice: KokoroVoice, language: string, signal: AbortSignal) {
    for (const runs of planSpeech(text, language, LENGTHS)) {
      const phonemes = await pronounce(runs, voice, espeak, signal);
      for (const ids of splitIds(toIds(phonemes)))
        for await (const samples of child.request({ ids, voice: voice.index }, signal)) yield* samples;
    }
  }

  return {
    ...refuseChat('speaks'),
    speech: {
      name: 'kokoro',
      sampleRate: KOKORO_SAMPLE_RATE,
      voices: kokoroVoices,
      defaultVoice: DEFAULT_KOKORO_VOICE,
      clones: false,
      speak({ text, voice }, signal) {
        const found = findKokoroVoice(voice);
        if (!found) throw engineErrors.unknown_voice('Kokoro', voice);
        return speak(text, found, signal);
      },
    },
    state: () => (espeak.isInstalled ? child.state() : { kind: 'failed', reason: ESPEAK_MISSING }),
    pid: child.pid,
    close: child.close,
  };
}
