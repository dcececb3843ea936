import type { JsonLimits } from '../../kit/http/index.ts';

const MEBIBYTE = 1024 * 1024;

/** Of one event of a stream. The longest are tool calls that a server sends whole, or whole answers. */
export const EVENT_CHARACTERS_MAX = 2 * MEBIBYTE;

/** Ids, names and arguments of all tool calls of an answer, which are held until their choice ends. */
export const CALL_CHARACTERS_MAX = 4 * MEBIBYTE;

/** As many as a request may offer tools at OpenAI. */
export const CALLS_MAX = 128;

/** Text and thoughts of an answer, all choices together: about two million tokens, more than any model writes. */
export const ANSWER_CHARACTERS_MAX = 8 * MEBIBYTE;

/** What a piece of text costs in memory beside its characters. Counted, so that crumbs are bounded like loaves. */
export const PIECE_CHARACTERS = 16;

/** What a read of the socket counts at least: a server that sends byte by byte costs our processor the most. */
export const READ_BYTES_MIN = 128;

/** Of one answer in one piece, or one event: all of it is parsed at once, and a bracket costs more than a letter. */
export type AnswerLimits = { bytesMax: number; json: JsonLimits };

const OBJECT_KEYS_MAX = 4096;
/** Nothing that is read lies deeper than ten levels; arguments of tools may. */
const DEPTH_MAX = 256;

function limitsOf(bytesMax: number, values: number): AnswerLimits {
  return {
    bytesMax,
    json: { depthMax: DEPTH_MAX, objectKeysMax: OBJECT_KEYS_MAX, keysMax: values, valuesMax: values },
  };
}

export const ANSWER_LIMITS = {
  completion: limitsOf(16 * MEBIBYTE, 128 * 1024),
  /** With the log probabilities of each token: tens of values, each with its bytes. */
  measured: limitsOf(32 * MEBIBYTE, 2 * MEBIBYTE),
  /** 512 texts with 8192 numbers each. */
  embeddings: limitsOf(64 * MEBIBYTE, 4.5 * MEBIBYTE),
  /** 512 texts in 50 categories. */
  moderation: limitsOf(4 * MEBIBYTE, 128 * 1024),
  /** 512 texts, which some servers send back. */
  reranking: limitsOf(8 * MEBIBYTE, 16 * 1024),
  /** 512 texts with 200 labels. */
  classification: limitsOf(16 * MEBIBYTE, 512 * 1024),
  /** A thousand pages, their words and pictures. */
  ocr: limitsOf(64 * MEBIBYTE, 4 * MEBIBYTE),
  /** Each word of some hours, with its times. */
  transcription: limitsOf(32 * MEBIBYTE, 2 * MEBIBYTE),
} as const;

/** A shorter text cannot hold enough to matter, so it is not counted first. */
export const COUNTED_FROM_CHARACTERS = 16 * 1024;

/** Pauses of `timeoutMs` in which bytes may drip in that say nothing, such as the comments of a server that is busy. */
export const SILENT_PAUSES_MAX = 4;

/** Beyond what any model reads or writes for one answer: such a count is a mistake or a lie. */
export const TOKENS_MAX = 16 * MEBIBYTE;

const STREAM_BYTES_MIN = 16 * MEBIBYTE;
const STREAM_BYTES_MAX = 256 * MEBIBYTE;
/** A chunk of one token has 200 to 600 bytes. */
const STREAM_BYTES_PER_TOKEN = 4096;

/** The bytes of a whole stream, comments and repetitions included. */
export function streamBytesMax(maxTokens: number | undefined, choices: number): number {
  if (maxTokens === undefined) return STREAM_BYTES_MAX;
  return Math.min(STREAM_BYTES_MAX, STREAM_BYTES_MIN + maxTokens * choices * STREAM_BYTES_PER_TOKEN);
}

const SPEECH_SECONDS_MIN = 60;
const SPEECH_SECONDS_PER_CHARACTER = 2;

/** Very slow speech has five characters in a second; spelled numbers and ideographs have fewer. */
export function speechSecondsMax(text: string): number {
  return SPEECH_SECONDS_MIN + text.length * SPEECH_SECONDS_PER_CHARACTER;
}
