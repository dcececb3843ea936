import { availableParallelism } from 'node:os';
import { codeFile } from '../../../kit/base/locations.ts';
import type { Logger } from '../../../kit/base/log.ts';
import { type FairQueueOptions, OWN_WORK, type Tenant } from '../../../kit/fair-queue/index.ts';
import type { Engine, SpeakRequest, SpeechEngine } from '../../engine.ts';
import { engineErrors, refuseChat, refuseTurn } from '../../errors.ts';
import { createChildTurns } from '../../process/child-turns.ts';
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
const WAITING_MAX = 64;
/** For a sentence, which takes seconds on a slow machine. */
const STEP_MS = 60_000;

export type KokoroOptions = {
  modelFile: string;
  voicesFile: string;
  /** Tells how words are pronounced. Shared; its creator closes it. */
  espeak: EspeakProcess;
  log: Logger;
  /** Default: all cores but one. */
  threads?: number;
  waitingMax?: number;
  watch?: FairQueueOptions['watch'];
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
    entry: codeFile('engines/speech/kokoro/child.ts'),
    settings: { modelFile, voicesFile, threads },
    variables: NATIVE_LIBRARIES,
    environment: options.environment,
    log: options.log,
    stepMs: STEP_MS,
    patience: options.patience,
  });
  const turns = createChildTurns(child, {
    stepMs: STEP_MS,
    waitingMax: options.waitingMax ?? WAITING_MAX,
    refuse: refuseTurn('Kokoro'),
    watch: options.watch,
  });

  async function* speak(
    { text, tenant = OWN_WORK }: SpeakRequest,
    voice: KokoroVoice,
    signal: AbortSignal,
  ): AsyncGenerator<Float32Array, void> {
    // The model loads, which takes seconds, while the first sentence is pronounced.
    if (espeak.isInstalled) child.warm().catch(() => undefined);
    const [language = 'en'] = voice.languages;
    const leave = new AbortController();
    const until = AbortSignal.any([signal, leave.signal]);
    try {
      yield* prefetchNext(sounds({ text, tenant }, voice, language, until));
    } finally {
      leave.abort();
    }
  }

  async function* sounds(
    { text, tenant }: { text: string; tenant: Tenant },
    voice: KokoroVoice,
    language: string,
    signal: AbortSignal,
  ) {
    let isContinued = false;
    for (const runs of planSpeech(text, language, LENGTHS)) {
      const phonemes = await pronounce(runs, voice, espeak, signal, { tenant, isContinued });
      for (const ids of splitIds(toIds(phonemes))) {
        for await (const samples of turns.request({ ids, voice: voice.index }, signal, tenant, { isContinued }))
          yield* samples;
        isContinued = true;
      }
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
      speak(request, signal) {
        const found = findKokoroVoice(request.voice);
        if (!found) throw engineErrors.unknown_voice('Kokoro', request.voice);
        return speak(request, found, signal);
      },
    },
    state: () => (espeak.isInstalled ? child.state() : { kind: 'failed', reason: ESPEAK_MISSING }),
    pid: child.pid,
    close: child.close,
  };
}
