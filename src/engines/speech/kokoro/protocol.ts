/** The ids of one piece, at most what the model takes at once, and the index of the voice in its file. */
export type KokoroRequest = { ids: number[]; voice: number };

export type KokoroSettings = { modelFile: string; voicesFile: string; threads: number };

export const KOKORO_SAMPLE_RATE = 24_000;
