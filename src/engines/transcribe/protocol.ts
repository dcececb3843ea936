import type { FollowedSpeech } from './vad/follow-speech.ts';

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
  prompt: string;
};

/** The next window of a file. */
export type WindowRequest = Hearing & {
  kind: 'window';
  /** Samples of 16 bits. */
  pcmFile: string;
  /** In samples. */
  from: number;
  total: number;
  temperature: number;
  hasWords: boolean;
};

/** A look at the utterance that is being spoken in audio that grows. */
export type LookRequest = {
  pcmFile: string;
  /** In samples. */
  to: number;
  /** What is spoken ends there. */
  isFinal: boolean;
  speech: FollowedSpeech;
  /** The last look reached so far; without more speech the model is not asked again. */
  heardUntil: number;
  /** The tokens of the words that were told, with which the model begins. */
  known: number[];
};

export type WhisperLook = LookRequest & Hearing & { kind: 'look'; wants: 'words' | 'language' };

export type WhisperRequest = WindowRequest | WhisperLook;

export type HeardSegment = { text: string; start: number; end: number; score: number; words: HeardWord[] };
export type HeardWord = { text: string; start: number; end: number; score: number };
type HeardLanguage = { code: string; isSure: boolean };

/** Times are seconds of the audio. */
export type WhisperReply = {
  /** Only where somebody speaks. */
  language?: HeardLanguage;
  segments: HeardSegment[];
  tokens: number;
  /** Everything before it is transcribed. */
  next: number;
};

/** A word of a live session, with its tokens and those between it and the word before. */
export type LiveWord = HeardWord & { tokens: number[] };

export type LookReply = {
  speech: FollowedSpeech;
  /** Only where there was something new to hear. */
  heard?: { words: LiveWord[]; tokens: number; language?: HeardLanguage };
};
