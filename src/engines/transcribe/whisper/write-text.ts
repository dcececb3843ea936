import { deflateSync } from 'node:zlib';
import { chooseToken } from './choose-token.ts';
import { repeatsItself, withoutLoop } from './loops.ts';
import type { Decoding } from './model.ts';
import { END, FIRST_TIME, TIME_SECONDS, type Tokenizer } from './tokenizer.ts';

const TOKENS_MAX = 224;
/** More than anybody says, also in scripts of which a letter is several tokens; short sound makes the model repeat itself. */
const TOKENS_PER_SECOND = 30;
const TOKENS_MIN = 12;
/** OpenAI's limits: text that repeats itself, or that the model hardly believes, is written again with some chance in it. */
const COMPRESSION_MAX = 2.4;
export const LOGPROB_MIN = -1;
const RETRY_TEMPERATURES = [0.4, 0.8];

export type Attempt = {
  tokens: number[];
  /** Of tokens that were known 0. */
  logprobs: number[];
  /** How each token was found in the sound. */
  rows: Float32Array[][];
  text: string;
  average: number;
  isLoop: boolean;
  /** More than anybody repeats: a text without that is better, however likely this one is. */
  isRepeated: boolean;
  isFine: boolean;
};

/** What was read before the first token that is chosen, and what may follow it. */
export type Begin = {
  decoding: Decoding;
  /** The model's own code. */
  language: string;
  known: readonly number[];
  /** A copy, for each attempt. */
  logits: () => Float32Array;
  /** For the known tokens and the next one. */
  rows: Float32Array[][];
};

type WriteOptions = {
  temperature: number;
  /** More follows soon: doubtful text is not written again. */
  isDraft: boolean;
  /** Of the window. */
  seconds: number;
};

/** The text of a window. What repeats itself, or what the model hardly believes, is written again. */
export async function writeText(
  begin: Begin,
  tokenizer: Tokenizer,
  { temperature, isDraft, seconds }: WriteOptions,
  signal: AbortSignal,
): Promise<Attempt> {
  let best: Attempt | undefined;
  const letters = tokenizer.lettersOf(begin.language);
  const retries = isDraft ? [] : RETRY_TEMPERATURES.filter((other) => other > temperature);
  const decode = (heat: number, foreign: readonly number[]) =>
    decodeOnce(begin, tokenizer, { heat, foreign, isDraft }, seconds, signal);
  for (const heat of [temperature, ...retries]) {
    const attempt = await decode(heat, letters.foreign);
    if (!best || isBetter(attempt, best)) best = attempt;
    if (best.isFine || signal.aborted) break;
  }
  const found = best as Attempt;
  if (isDraft || !letters.areForeign(found.text)) return found;
  // A translation, or somebody who speaks another language for once, whom the model hardly believes in these letters.
  const own = await decode(temperature, letters.allForeign());
  return own.isFine ? own : found;
}

function isBetter(attempt: Attempt, best: Attempt): boolean {
  if (attempt.isFine || attempt.isRepeated !== best.isRepeated) return attempt.isFine || best.isRepeated;
  return attempt.average > best.average;
}

async function decodeOnce(
  { decoding, known, logits: firstLogits, rows: firstRows }: Begin,
  tokenizer: Tokenizer,
  { heat, foreign, isDraft }: { heat: number; foreign: readonly number[]; isDraft: boolean },
  seconds: number,
  signal: AbortSignal,
): Promise<Attempt> {
  const lastTime = FIRST_TIME + Math.ceil(seconds / TIME_SECONDS);
  const random = seededRandom(heat);
  const tokens = [...known];
  const logprobs = known.map(() => 0);
  const rows = [...firstRows];
  const tokensMax = Math.min(TOKENS_MAX, Math.ceil(seconds * TOKENS_PER_SECOND) + TOKENS_MIN);
  let isLoop = false;
  let logits = firstLogits();
  decoding.rewind();
  while (tokens.length < tokensMax && !isLoop && !signal.aborted) {
    const { token, logprob } = chooseToken(logits, tokens, heat, lastTime, random, foreign);
    logprobs.push(logprob);
    if (token === END) break;
    tokens.push(token);
    // Somebody may say the same again and again, so a final text is written to its end.
    isLoop = isDraft && repeatsItself(tokens);
    const step = await decoding.read([token]);
    logits = step.logitsAfter(0);
    rows.push(...(step.attention ?? []));
  }
  const isEndless = tokens.length >= tokensMax && repeatsItself(tokens);
  const chosen = logprobs.slice(known.length);
  const average = chosen.reduce((sum, logprob) => sum + logprob, 0) / Math.max(1, chosen.length);
  const text = tokenizer.decode(tokens);
  const isRepeated = isEndless || compressionOf(text) > COMPRESSION_MAX;
  const isFine = !isLoop && average >= LOGPROB_MIN && !isRepeated;
  // What found no end says nothing after its first round; somebody who repeats himself comes to an end.
  if (isEndless) tokens.length = Math.max(known.length, withoutLoop(tokens));
  return { tokens, logprobs, rows: rows.slice(0, tokens.length + 1), text, average, isLoop, isRepeated, isFine };
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
