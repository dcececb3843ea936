/** Ids of one piece, at most what the model takes at once, and the place of the voice in its file. */
export type KokoroQuestion = { ids: number[]; voice: number };

/** First argument of the process. */
export type KokoroSettings = { modelFile: string; voicesFile: string; threads: number };

export const KOKORO_SAMPLE_RATE = 24_000;
