/** `voice` is the library's identifier, with a variant such as `+f3` behind it where another timbre is wanted. */
export type EspeakQuestion = { kind: 'speak' | 'phonemes'; voice: string; text: string };

/** Sound, or the phonemes of the whole text. */
export type EspeakAnswer = Float32Array | string;

/** First argument of the process. */
export type EspeakSettings = { library: string };

export const ESPEAK_SAMPLE_RATE = 22_050;
