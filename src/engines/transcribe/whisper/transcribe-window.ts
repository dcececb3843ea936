import { SAMPLE_RATE } from '../transcription-engine.ts';
import { chanceOf, topOf } from './choose-token.ts';
import { findWords, type TimedWord } from './find-words.ts';
import { LANGUAGES } from './languages.ts';
import { framesFor, logMel } from './mel.ts';
import type { WhisperModel } from './model.ts';
import {
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
import { type Attempt, type Begin, LOGPROB_MIN, writeText } from './write-text.ts';

const PROMPT_TOKENS_MAX = 200;
/** OpenAI's limit. */
const NO_SPEECH_MIN = 0.6;
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
  /** Tokens with which the transcript begins; only what follows them is returned. */
  known?: readonly number[];
};

/** Times are seconds from the beginning of the window. */
export type WindowSegment = TimedWord & { words: TimedWord[] };

/** `isSure` where the language is likelier than all others together. */
export type RecognizedLanguage = { code: string; isSure: boolean };

export type WindowResult = {
  language: RecognizedLanguage;
  segments: WindowSegment[];
  /** Where the transcript ends; the rest of the window may have to be heard again. */
  end: number;
  /** All tokens, also those that were known. */
  written: number[];
};

/** What is said in a window of at most half a minute. */
export async function transcribeWindow(
  model: WhisperModel,
  tokenizer: Tokenizer,
  samples: Float32Array,
  options: WindowOptions,
  signal: AbortSignal,
): Promise<WindowResult> {
  const seconds = samples.length / SAMPLE_RATE;
  const { begin, language, noSpeech } = await beginWindow(model, samples, options);
  const silent = { language, segments: [], end: seconds, written: [] };
  if (signal.aborted) return silent;
  const { temperature, isDraft = false } = options;
  const attempt = await writeText(begin, tokenizer, { temperature, isDraft, seconds }, signal);
  if (noSpeech > NO_SPEECH_MIN && attempt.average < LOGPROB_MIN) return silent;
  if (attempt.isLoop) return { ...silent, written: attempt.tokens };
  const segments = toSegments(attempt, tokenizer, language.code, seconds, options);
  const end = segments.at(-1)?.end ?? seconds;
  return { language, segments, end, written: attempt.tokens };
}

async function beginWindow(model: WhisperModel, samples: Float32Array, options: WindowOptions) {
  const { language: given, hasWords, known = [] } = options;
  const frames = model.framesOf(framesFor(samples.length));
  const heard = await model.hear(logMel(samples, frames));
  const prompt = options.prompt.slice(-PROMPT_TOKENS_MAX);
  const start = [...(prompt.length > 0 ? [PREVIOUS, ...prompt] : []), START];
  const asked = given === undefined ? await model.decode(heard, false).read(start) : undefined;
  const detected = asked?.logitsAfter(start.length - 1);
  const language = detected ? detectLanguage(detected) : { code: given ?? 'en', isSure: true };
  const decoding = model.decode(heard, hasWords);
  const read = [...start, languageToken(language.code), TRANSCRIBE, ...known];
  const step = await decoding.read(read);
  const begin: Begin = {
    ...{ decoding, language: language.code, known },
    logits: () => step.logitsAfter(read.length - 1).slice(),
    rows: step.attention?.slice(read.length - 1 - known.length) ?? [],
  };
  return { begin, language, noSpeech: chanceOf(step.logitsAfter(start.length - 1), NO_SPEECH) };
}

/** The language alone, for a fraction of the work. */
export async function recognizeLanguage(model: WhisperModel, samples: Float32Array): Promise<RecognizedLanguage> {
  const frames = model.framesOf(framesFor(samples.length));
  const step = await model.decode(await model.hear(logMel(samples, frames)), false).read([START]);
  return detectLanguage(step.logitsAfter(0));
}

function detectLanguage(logits: Float32Array): RecognizedLanguage {
  const [from, to] = [FIRST_LANGUAGE, FIRST_LANGUAGE + LANGUAGES.length];
  const token = topOf(logits, from, to);
  return { code: LANGUAGES[token - from] ?? 'en', isSure: chanceOf(logits, token, from, to) >= SURE_OF_LANGUAGE };
}

/** Text between two times is a segment; what has no end lasts until the window does. */
function toSegments(
  { tokens, logprobs, rows }: Attempt,
  tokenizer: Tokenizer,
  language: string,
  seconds: number,
  { hasWords, known = [] }: WindowOptions,
): WindowSegment[] {
  const words = hasWords ? findWords(tokenizer, language, tokens, logprobs, rows, seconds, known.length) : [];
  const segments: WindowSegment[] = [];
  const timeOf = (token: number) => (token - FIRST_TIME) * TIME_SECONDS;
  let start = timeOf(known.findLast((token) => token >= FIRST_TIME) ?? FIRST_TIME);
  let from = known.length;
  const close = (to: number, end: number) => {
    const text = tokenizer.decode(tokens.slice(from, to)).replaceAll('\ufffd', '');
    if (text.trim() === '') return;
    const sum = logprobs.slice(from, to).reduce((total, logprob) => total + logprob, 0);
    const own = words.filter((word) => word.from >= from && word.from < to);
    const score = Math.exp(sum / Math.max(1, to - from));
    segments.push({ text, start, end: Math.min(Math.max(end, start), seconds), score, from, to, words: own });
  };
  for (let place = from; place < tokens.length; place++) {
    const token = tokens[place] as number;
    if (token < FIRST_TIME) continue;
    close(place, timeOf(token));
    start = timeOf(token);
    from = place + 1;
  }
  close(tokens.length, seconds);
  return segments;
}
