import type { Logger } from '../../../kit/base/log.ts';
import { unavailable } from '../../../kit/http/index.ts';
import type { Patience } from '../../watch-child.ts';
import { type KeptProcess, keepProcess } from '../process/keep-process.ts';
import { ESPEAK_PACKAGE, findEspeakLibrary } from './library.ts';
import type { EspeakAnswer, EspeakQuestion, EspeakSettings } from './questions.ts';

export const ESPEAK_MISSING = `eSpeak NG, which every voice of this server needs, is not installed. Ask the operator to install the optional package ${ESPEAK_PACKAGE}.`;
const MISSING_RETRY_SECONDS = 60;
const WAITING_MAX = 64;

export type EspeakOptions = {
  log: Logger;
  waitingMax?: number;
  patience?: Partial<Patience>;
  /** The file of the library; undefined where the operator left it out. Found by itself. */
  library?: string | undefined;
};

/** The process of eSpeak NG: one for all that need it, as a voice or to learn how words are pronounced. */
export type EspeakProcess = KeptProcess<EspeakQuestion, EspeakAnswer> & {
  isInstalled: boolean;
  /** How the text is pronounced, in the library's notation of the IPA. */
  phonemes(voice: string, text: string, signal: AbortSignal): Promise<string>;
};

export function createEspeakProcess(options: EspeakOptions): EspeakProcess {
  const library = 'library' in options ? options.library : findEspeakLibrary();
  const kept = keepProcess<EspeakQuestion, EspeakAnswer>({
    name: 'eSpeak NG',
    entry: new URL('child.ts', import.meta.url),
    settings: { library: library ?? '' } satisfies EspeakSettings,
    log: options.log,
    waitingMax: options.waitingMax ?? WAITING_MAX,
    patience: options.patience,
  });
  const require = () => {
    if (library === undefined) throw unavailable(ESPEAK_MISSING, MISSING_RETRY_SECONDS);
  };
  return {
    ...kept,
    isInstalled: library !== undefined,
    admit() {
      require();
      kept.admit();
    },
    start() {
      if (library !== undefined) kept.start();
    },
    state: () => (library === undefined ? { kind: 'failed', reason: ESPEAK_MISSING } : kept.state()),
    async phonemes(voice, text, signal) {
      require();
      for await (const answer of kept.ask({ kind: 'phonemes', voice, text }, signal))
        if (typeof answer === 'string') return answer;
      return '';
    },
  };
}
