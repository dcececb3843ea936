/** `voice` is the library's identifier, with a variant such as `+f3` behind it for another timbre. */
export type EspeakRequest = { kind: 'speak' | 'phonemes'; voice: string; text: string };

/** Samples, or the phonemes of the whole text. */
export type EspeakPart = Float32Array | string;

export type EspeakSettings = { library: string };

export const ESPEAK_SAMPLE_RATE = 22_050;
