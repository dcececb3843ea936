import { codeFile } from '../../../kit/base/locations.ts';
import type { Logger } from '../../../kit/base/log.ts';
import { type FairQueueOptions, OWN_WORK, type Tenant, type UnitOptions } from '../../../kit/fair-queue/index.ts';
import type { EngineState } from '../../engine.ts';
import { engineErrors, refuseTurn } from '../../errors.ts';
import { createChildTurns } from '../../process/child-turns.ts';
import { superviseChild } from '../../process/supervise-child.ts';
import type { Patience } from '../../process/watch-child.ts';
import { ESPEAK_PACKAGE, findEspeakLibrary } from './library.ts';
import type { EspeakPart, EspeakRequest, EspeakSettings } from './protocol.ts';

export const ESPEAK_MISSING = `eSpeak NG, which every voice of this server needs, is not installed. Ask the operator to install the optional package ${ESPEAK_PACKAGE}.`;
const MISSING_RETRY_SECONDS = 60;
const WAITING_MAX = 256;
/** For a sentence, which takes milliseconds. */
const STEP_MS = 20_000;

export type EspeakOptions = {
  log: Logger;
  waitingMax?: number;
  watch?: FairQueueOptions['watch'];
  patience?: Partial<Patience>;
  /** The file of the library; undefined where it is not installed. Found by default. */
  library?: string | undefined;
};

export type Turn = UnitOptions & { tenant?: Tenant | undefined };

/** The process of eSpeak NG, shared by every engine that speaks with it or needs the pronunciation of words. */
export type EspeakProcess = {
  isInstalled: boolean;
  /** Starts the process before a request needs it. */
  start(): void;
  /** A request that has begun is never refused because others wait. */
  speak(voice: string, text: string, signal: AbortSignal, turn?: Turn): AsyncGenerator<Float32Array, void>;
  /** How the text is pronounced, in the library's notation of the IPA. */
  phonemes(voice: string, text: string, signal: AbortSignal, turn?: Turn): Promise<string>;
  state(): EngineState;
  pid(): number | undefined;
  close(): Promise<void>;
};

export function createEspeakProcess(options: EspeakOptions): EspeakProcess {
  const library = 'library' in options ? options.library : findEspeakLibrary();
  const child = superviseChild<EspeakSettings, EspeakRequest, EspeakPart>({
    name: 'espeak-ng',
    subject: 'eSpeak NG',
    entry: codeFile('engines/speech/espeak/child.ts'),
    settings: { library: library ?? '' },
    variables: [],
    log: options.log,
    stepMs: STEP_MS,
    patience: options.patience,
  });
  const turns = createChildTurns(child, {
    stepMs: STEP_MS,
    waitingMax: options.waitingMax ?? WAITING_MAX,
    refuse: refuseTurn('eSpeak NG'),
    watch: options.watch,
  });

  function requireLibrary(): void {
    if (library === undefined)
      throw engineErrors.package_missing(ESPEAK_MISSING, { retryAfterSeconds: MISSING_RETRY_SECONDS });
  }

  async function* request(
    request: EspeakRequest,
    signal: AbortSignal,
    { tenant = OWN_WORK, ...unit }: Turn = {},
  ): AsyncGenerator<EspeakPart, void> {
    requireLibrary();
    for await (const parts of turns.request(request, signal, tenant, unit)) yield* parts;
  }

  return {
    isInstalled: library !== undefined,
    start() {
      if (library !== undefined) child.warm().catch(() => undefined);
    },
    speak: (voice, text, signal, turn) =>
      request({ kind: 'speak', voice, text }, signal, turn) as AsyncGenerator<Float32Array, void>,
    async phonemes(voice, text, signal, turn) {
      let phonemes = '';
      for await (const part of request({ kind: 'phonemes', voice, text }, signal, turn)) phonemes += part;
      return phonemes;
    },
    state: () => (library === undefined ? { kind: 'failed', reason: ESPEAK_MISSING } : child.state()),
    pid: child.pid,
    close: child.close,
  };
}
