import { createRequire } from 'node:module';

/** The optional package that carries eSpeak NG. It is GPL software, so only a process of its own ever loads it. */
export const ESPEAK_PACKAGE = '@echogarden/espeak-ng-emscripten';

/** The part of the package that we use. */
export type EspeakLibrary = {
  eSpeakNGWorker: new () => EspeakWorker;
  /** Replaced when the memory grows, so it is read anew each time. */
  HEAPU8: Uint8Array;
  _free(pointer: number): void;
};

export type EspeakWorker = {
  set_voice(identifier: string, language: string, gender: number, age: number, variant: number): number;
  get_samplerate(): number;
  /** Calls back with a copy of each stretch of sound; the callback answers whether to stop. */
  synthesize(text: string, take: (samples: Int16Array | null) => boolean): void;
  convert_to_phonemes(text: string, inIpa: boolean): { ptr: number };
  list_voices(): { identifier: string }[];
};

/** Where the package lies, without loading it; undefined when the operator left it out. */
export function findEspeakLibrary(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(ESPEAK_PACKAGE);
  } catch {
    return undefined;
  }
}
