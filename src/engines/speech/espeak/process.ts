import type { Logger } from '../../../kit/base/log.ts';
import type { EngineState } from '../../engine.ts';
import { engineErrors } from '../../errors.ts';
import { superviseChild } from '../../process/supervise-child.ts';
import type { Patience } from '../../process/watch-child.ts';
import { ESPEAK_PACKAGE, findEspeakLibrary } from './library.ts';
import type { EspeakPart, EspeakRequest, EspeakSettings } from './protocol.ts';

export const ESPEAK_MISSING = `eSpeak NG, which every voice of this server needs, is not installed. Ask the operator to install the optional package ${ESPEAK_PACKAGE}.`;
const MISSING_RETRY_SECONDS = 60;
const PENDING_MAX = 64;

export type EspeakOptions = {
  log: Logger;
  waitingMax?: number;
  patience?: Partial<Patience>;
  /** The file of the library; undefined where it is not installed. Found by default. */
  library?: string | undefined;
};

/** The process of eSpeak NG, shared by every engine that speaks with it or needs the pronunciation of words. */
export type EspeakProcess = {
  isInstalled: boolean;
  /** Refuses a new request while too many wait. A request that has begun is never refused for that. */
  admit(): void;
  /** Starts the process before a request needs it. */
  start(): void;
  speak(voice: string, text: string, signal: AbortSignal): AsyncGenerator<Float32Array, void>;
  /** How the text is pronounced, in the library's notation of the IPA. */
  phonemes(voice: string, text: string, signal: AbortSignal): Promise<string>;
  state(): EngineState;
  pid(): number | undefined;
  close(): Promise<void>;
};

export function createEspeakProcess(options: EspeakOptions): EspeakProcess {
  const library = 'library' in options ? options.library : findEspeakLibrary();
  const child = superviseChild<EspeakSettings, EspeakRequest, EspeakPart>({
    name: 'espeak-ng',
    subject: 'eSpeak NG',
    entry: new URL('child.ts', import.meta.url),
    settings: { library: library ?? '' },
    variables: [],
    log: options.log,
    patience: options.patience,
  });

  function requireLibrary(): void {
    if (library === undefined)
      throw engineErrors.package_missing(ESPEAK_MISSING, { retryAfterSeconds: MISSING_RETRY_SECONDS });
  }

  async function* request(request: EspeakRequest, signal: AbortSignal): AsyncGenerator<EspeakPart, void> {
    requireLibrary();
    for await (const parts of child.request(request, signal)) yield* parts;
  }

  return {
    isInstalled: library !== undefined,
    admit() {
      requireLibrary();
      child.admit(options.waitingMax ?? PENDING_MAX);
    },
    start() {
      if (library !== undefined) child.warm().catch(() => undefined);
    },
    speak: (voice, text, signal) =>
      request({ kind: 'speak', voice, text }, signal) as AsyncGenerator<Float32Array, void>,
    async phonemes(voice, text, signal) {
      let phonemes = '';
      for await (const part of request({ kind: 'phonemes', voice, text }, signal)) phonemes += part;
      return phonemes;
    },
    state: () => (library === undefined ? { kind: 'failed', reason: ESPEAK_MISSING } : child.state()),
    pid: child.pid,
    close: child.close,
  };
}
