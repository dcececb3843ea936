import { availableParallelism } from 'node:os';
import type { Logger } from '../../../kit/base/log.ts';
import { badRequest } from '../../../kit/http/index.ts';
import type { Engine, SpeechEngine } from '../../engine.ts';
import type { Patience } from '../../watch-child.ts';
import { ESPEAK_MISSING, type EspeakProcess } from '../espeak/process.ts';
import { oneAhead } from '../one-ahead.ts';
import { onlySpeaks } from '../only-speaks.ts';
import { keepProcess } from '../process/keep-process.ts';
import { planSpeech } from '../text/plan-speech.ts';
import { pronounce } from './pronounce.ts';
import { KOKORO_SAMPLE_RATE, type KokoroQuestion, type KokoroSettings } from './questions.ts';
import { splitIds, toIds } from './vocabulary.ts';
import { DEFAULT_KOKORO_VOICE, findKokoroVoice, type KokoroVoice, kokoroVoices } from './voices.ts';

const LENGTHS = { longest: 280, longestFirst: 120 };
const WAITING_MAX = 16;

export type KokoroOptions = {
  modelFile: string;
  voicesFile: string;
  /** Knows how words are pronounced. Shared, and closed by whoever made it. */
  espeak: EspeakProcess;
  log: Logger;
  /** Default: all cores but one. */
  threads?: number;
  waitingMax?: number;
  patience?: Partial<Patience>;
};

export type KokoroEngine = Engine & {
  speech: SpeechEngine;
  /** Of the process that runs the model, while there is one. */
  pid(): number | undefined;
};

/** Kokoro in a process of its own, which the first request starts: it is large, and not everybody speaks. */
export function createKokoroEngine(options: KokoroOptions): KokoroEngine {
  const { modelFile, voicesFile, espeak, log } = options;
  const threads = options.threads ?? Math.max(1, availableParallelism() - 1);
  const process = keepProcess<KokoroQuestion, Float32Array>({
    name: 'Kokoro',
    entry: new URL('child.ts', import.meta.url),
    settings: { modelFile, voicesFile, threads } satisfies KokoroSettings,
    log,
    waitingMax: options.waitingMax ?? WAITING_MAX,
    patience: options.patience,
  });

  async function* speak(text: string, voice: KokoroVoice, signal: AbortSignal): AsyncGenerator<Float32Array, void> {
    espeak.admit();
    process.admit();
    // Loading takes seconds, learning how the first sentence is pronounced does not.
    process.start();
    const [language = 'en'] = voice.languages;
    const leave = new AbortController();
    const until = AbortSignal.any([signal, leave.signal]);
    try {
      yield* oneAhead(sounds(text, voice, language, until));
    } finally {
      leave.abort();
    }
  }

  async function* sounds(text: string, voice: KokoroVoice, language: string, signal: AbortSignal) {
    for (const runs of planSpeech(text, language, LENGTHS)) {
      const phonemes = await pronounce(runs, voice, espeak, signal);
      for (const ids of splitIds(toIds(phonemes))) yield* process.ask({ ids, voice: voice.index }, signal);
    }
  }

  return {
    ...onlySpeaks(),
    speech: {
      name: 'kokoro',
      sampleRate: KOKORO_SAMPLE_RATE,
      voices: kokoroVoices,
      defaultVoice: DEFAULT_KOKORO_VOICE,
      clones: false,
      speak({ text, voice }, signal) {
        const found = findKokoroVoice(voice);
        if (!found) throw badRequest(`Kokoro has no voice '${voice}'.`);
        return speak(text, found, signal);
      },
    },
    state: () => (espeak.isInstalled ? process.state() : { kind: 'failed', reason: ESPEAK_MISSING }),
    pid: process.pid,
    close: process.close,
  };
}
