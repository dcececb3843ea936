import type { Tenant } from '../../kit/fair-queue/index.ts';
import type { Tally } from '../tally.ts';

/** The rate of all samples here: mono, from -1 to 1. */
export const SAMPLE_RATE = 16_000;

/** What an engine that transcribes offers. The tally counts seconds of audio as tokens of the prompt. */
export type TranscriptionEngine = {
  /**
   * Decodes and checks the audio, which fails for a file that is none, and returns what it says, window by window. The file
   * is not read after the first part. Leaving the iteration ends the work.
   */
  transcribe(request: TranscribeRequest, signal: AbortSignal, tally?: Tally): AsyncIterable<TranscriptPart[]>;
  /** A live session, on engines that can listen. */
  listen?(options: ListenOptions, signal: AbortSignal, tally?: Tally): Promise<LiveTranscript>;
};

type Recognition = {
  /** Who asks, for engines that let tenants take turns. */
  tenant?: Tenant;
  /** ISO 639-1; detected if left out. */
  language?: string;
  temperature?: number;
  /** Words and names that are likely to occur. */
  contextBias?: readonly string[];
};

export type TranscribeRequest = Recognition & {
  /** The file with the audio, in any format that can be decoded. */
  file: string;
  /** As the client named it, for servers that look at it. */
  filename?: string;
  /** Which times are wanted. */
  hasSegments: boolean;
  hasWords: boolean;
  diarize: boolean;
  /** Text is wanted as soon as there is some, of servers that can be asked for that. */
  streams?: boolean;
  /** Recordings of known speakers, as files, by their names. */
  speakerReferences?: Readonly<Record<string, string>>;
};

/** In seconds from the beginning of the audio. */
export type TranscriptSegment = {
  text: string;
  start: number;
  end: number;
  /** From 0 to 1. */
  score?: number;
  speaker?: string;
};

export type TranscriptPart =
  /** First: how long the audio is. */
  | { kind: 'audio'; seconds: number }
  /** Before the first text, once. */
  | { kind: 'language'; language: string | null }
  /** What is spoken next, as it is appended to the text so far. */
  | { kind: 'text'; text: string }
  | ({ kind: 'segment' } & TranscriptSegment)
  | ({ kind: 'word' } & TranscriptSegment)
  /** Everything before this second is transcribed. */
  | { kind: 'progress'; seconds: number }
  /** Last. `outputTokens` where the engine counts them. */
  | { kind: 'end'; outputTokens?: number };

export type ListenOptions = Recognition & {
  /** How long after they were spoken words should be reported; later ones are more often right. */
  delayMs?: number;
  diarize?: boolean;
  /** Recordings of known speakers, as files, by their names. They are not read after the session is open. */
  speakerReferences?: Readonly<Record<string, string>>;
  /** Whether the session tells when somebody begins and ends to speak, and by which chances of speech. */
  turnDetection?: TurnDetection;
};

/** Thresholds from 0 to 1. */
export type TurnDetection = {
  startThreshold: number;
  eagerEndThreshold: number;
  endThreshold: number;
  minSilenceMs: number;
  endTimeoutMs?: number;
};

/**
 * A live session. `feed` takes samples at `SAMPLE_RATE`; a caller that awaits it is slowed down to what the engine can do.
 * Closed by `end`, by the signal, or by leaving the iteration over `parts`.
 */
export type LiveTranscript = {
  feed(samples: Float32Array): Promise<void>;
  /** What was fed so far is transcribed as if it were the end of an utterance. */
  flush(): Promise<void>;
  end(): Promise<void>;
  /** Text that has been reported never changes: a word comes when it is stable. */
  parts: AsyncIterable<LivePart[]>;
};

export type LivePart =
  | { kind: 'language'; language: string | null }
  | { kind: 'text'; text: string }
  /** An utterance that is complete. */
  | ({ kind: 'segment' } & TranscriptSegment)
  | TurnPart
  | { kind: 'end'; seconds: number };

/** `seconds` is where the voice begins or falls silent; `reason` is of an end. */
export type TurnPart = {
  kind: 'turn';
  event: 'start' | 'eager_end' | 'resume' | 'end';
  seconds: number;
  reason?: 'threshold' | 'timeout';
};
