export type WhisperSettings = {
  encoderFile: string;
  decoderFile: string;
  tokenizerFile: string;
  vadFile: string;
  threads: number;
};

type Hearing = {
  /** The model's own code; detected if left out. */
  language?: string;
  temperature: number;
  prompt: string;
  hasWords: boolean;
};

export type WhisperRequest = Hearing & {
  kind: 'window';
  /** Samples of 16 bits. */
  pcmFile: string;
  /** In samples. */
  from: number;
  total: number;
};

export type HeardSegment = { text: string; start: number; end: number; score: number; words: HeardWord[] };
export type HeardWord = { text: string; start: number; end: number; score: number };

/** Times are seconds of the audio. */
export type WhisperReply = {
  /** Only where somebody speaks. */
  language?: { code: string; isSure: boolean };
  /** Where somebody speaks, in samples; undefined where nobody does. */
  speech?: { start: number; end: number };
  segments: HeardSegment[];
  tokens: number;
  /** Everything before it is transcribed. */
  next: number;
};
