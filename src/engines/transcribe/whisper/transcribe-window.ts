import { deflateSync } from 'node:zlib';
import { SAMPLE_RATE } from '../transcription-engine.ts';
import { chanceOf, chooseToken, topOf } from './choose-token.ts';
import { findWords, type TimedWord } from './find-words.ts';
import { LANGUAGES } from './languages.ts';
import { framesFor, logMel } from './mel.ts';
import type { Decoding, WhisperModel } from './model.ts';
import {
  END,
  FIRST_LANGUAGE,
  FIRST_TIME,
  languageToken,
  NO_SPEECH,
  PREVIOUS,
  START,
  TIME_SECONDS,
  type Tokenizer,
  TRANSCRIBE,
} from './tokenizer.ts';

const TOKENS_MAX = 224;
const PROMPT_TOKENS_MAX = 200;
/** OpenAI's limits: text that repeats itself, or that the model hardly believes, is written again with some chance in it. */
const COMPRESSION_MAX = 2.4;
const LOGPROB_MIN = -1;
const NO_SPEECH_MIN = 0.6;
const RETRY_TEMPERATURES = [0.4, 0.8];
/** Below this the language is asked for again in the next window. */
const SURE_OF_LANGUAGE = 0.5;

export type WindowOptions = {
  /** The model's own code. */
  language?: string | undefined;
  temperature: number;
  /** What the transcript is likely to contain. */
  prompt: readonly number[];
  hasWords: boolean;
  /** More follows soon: doubtful text is not written again. */
  isDraft?: boolean;
};

/** Times are seconds from the beginning of the window. */
export type WindowSegment = { text: string; start: number; end: number; score: number; words: TimedWord[] };

/** `isSure` where the language is likelier than all others together. */
export type RecognizedLanguage = { code: string; isSure: boolean };

export type WindowResult = {
  language: RecognizedLanguage;
  segments: WindowSegment[];
  /** Where the transcript ends; the rest of the window may have to be heard again. */
  end: number;
  tokens: number;
};

type Attempt = { tokens: number[]; logprobs: number[]; rows: Float32Array[][]; average: number; isFine: boolean };

/** What is said in a window of at most half a minute. */
export async function transcribeWindow(
  model: WhisperModel,
  tokenizer: Tokenizer,
  samples: Float32Array,
  options: WindowOptions,
  signal: AbortSignal,
): Promise<WindowResult> {
  const seconds = samples.length / SAMPLE_RATE;
  const frames = model.framesOf(framesFor(samples.length));
  const decoding = model.decode(await model.hear(logMel(samples, frames)), options.hasWords);
  const prompt = options.prompt.slice(-PROMPT_TOKENS_MAX);
  const { logits } = await decoding.read([...(prompt.length > 0 ? [PREVIOUS, ...prompt] : []), START]);
  const noSpeech = chanceOf(logits, NO_SPEECH);
  const language = options.language ? { code: options.language, isSure: true } : detectLanguage(logits);
  const silent = { language, segments: [], end: seconds, tokens: 0 };
  if (signal.aborted) return silent;
  const attempt = await decodeBest(decoding, tokenizer, language.code, options, seconds, signal);
  if (noSpeech > NO_SPEECH_MIN && attempt.average < LOGPROB_MIN) return silent;
  const segments = toSegments(attempt, tokenizer, language.code, seconds, options.hasWords);
  const end = segments.at(-1)?.end ?? seconds;
  return { language, segments, end, tokens: attempt.tokens.length };
}

/** The language alone, for a fraction of the work. */
export async function recognizeLanguage(model: WhisperModel, samples: Float32Array): Promise<RecognizedLanguage> {
  const frames = model.framesOf(framesFor(samples.length));
  const { logits } = await model.decode(await model.hear(logMel(samples, frames)), false).read([START]);
  return detectLanguage(logits);
}

function detectLanguage(logits: Float32Array): RecognizedLanguage {
  const [from, to] = [FIRST_LANGUAGE, FIRST_LANGUAGE + LANGUAGES.length];
  const token = topOf(logits, from, to);
  return { code: LANGUAGES[token - from] ?? 'en', isSure: chanceOf(logits, token, from, to) >= SURE_OF_LANGUAGE };
}

async function decodeBest(
  decoding: Decoding,
  tokenizer: Tokenizer,
  language: string,
  { temperature, isDraft = false }: WindowOptions,
  seconds: number,
  signal: AbortSignal,
): Promise<Attempt> {
  let best: Attempt | undefined;
  const retries = isDraft ? [] : RETRY_TEMPERATURES.filter((other) => other > temperature);
  for (const heat of [temperature, ...retries]) {
    decoding.rewind();
    const attempt = await decodeOnce(decoding, tokenizer, language, heat, seconds, signal);
    if (!best || attempt.average > best.average || attempt.isFine) best = attempt;
    if (best.isFine || signal.aborted) break;
  }
  return best as Attempt;
}

async function decodeOnce(
  decoding: Decoding,
  tokenizer: Tokenizer,
  language: string,
  temperature: number,
  seconds: number,
  signal: AbortSignal,
): Promise<Attempt> {
  const lastTime = FIRST_TIME + Math.ceil(seconds / TIME_SECONDS);
  const random = seededRandom(temperature);
  const tokens: number[] = [];
  const logprobs: number[] = [];
  const rows: Float32Array[][] = [];
  await decoding.read([languageToken(language)]);
  let step = await decoding.read([TRANSCRIBE]);
  while (tokens.length < TOKENS_MAX && !signal.aborted) {
    const { token, logprob } = chooseToken(step.logits, tokens, temperature, lastTime, random);
    logprobs.push(logprob);
    if (step.attention) rows.push(step.attention);
    if (token === END) break;
    tokens.push(token);
    step = await decoding.read([token]);
  }
  const average = logprobs.reduce((sum, logprob) => sum + logprob, 0) / Math.max(1, logprobs.length);
  const text = tokenizer.decode(tokens);
  const isFine = average >= LOGPROB_MIN && compressionOf(text) <= COMPRESSION_MAX;
  return { tokens, logprobs, rows, average, isFine };
}

function compressionOf(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length / deflateSync(bytes).length;
}

/** The same audio gives the same text. */
function seededRandom(seed: number): () => number {
  let state = Math.round(seed * 1000) + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Text between two times is a segment; what has no end lasts until the window does. */
function toSegments(
  { tokens, logprobs, rows }: Attempt,
  tokenizer: Tokenizer,
  language: string,
  seconds: number,
  hasWords: boolean,
): WindowSegment[] {
  const words = hasWords ? findWords(tokenizer, language, tokens, logprobs, rows, seconds) : [];
  const segments: WindowSegment[] = [];
  let start = 0;
  let from = 0;
  const close = (to: number, end: number) => {
    const text = tokenizer.decode(tokens.slice(from, to)).replaceAll('\ufffd', '');
    if (text.trim() === '') return;
    const sum = logprobs.slice(from, to).reduce((total, logprob) => total + logprob, 0);
    const own = words.filter(({ token }) => token >= from && token < to);
    segments.push({
      text,
      start,
      end: Math.min(Math.max(end, start), seconds),
      score: Math.exp(sum / Math.max(1, to - from)),
      words: own,
    });
  };
  for (const [index, token] of tokens.entries()) {
    if (token < FIRST_TIME) continue;
    const time = (token - FIRST_TIME) * TIME_SECONDS;
    close(index, time);
    start = time;
    from = index + 1;
  }
  close(tokens.length, seconds);
  return segments;
}
