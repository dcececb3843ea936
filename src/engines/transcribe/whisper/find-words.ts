import { UNSPACED } from './languages.ts';
import { FIRST_TIME, type Tokenizer } from './tokenizer.ts';

/** What one position of the encoder covers. */
const POSITION_SECONDS = 0.02;
const MEDIAN = 7;
/** A word at the end of a sentence is not stretched over the pause behind it. */
const WORD_SECONDS_MAX = 2;
const PUNCTUATION = /^[\p{P}\p{S}]+$/u;

/** `from` and `to` are places of its tokens. */
export type TimedWord = { text: string; start: number; end: number; score: number; from: number; to: number };

/**
 * When each word is said, from the token at `first` on: the path through the attention of a few heads, from the first token
 * and frame to the last.
 */
export function findWords(
  tokenizer: Tokenizer,
  language: string,
  tokens: readonly number[],
  logprobs: readonly number[],
  rows: readonly Float32Array[][],
  seconds: number,
  first = 0,
): TimedWord[] {
  const frames = Math.min(rows[0]?.[0]?.length ?? 0, Math.max(1, Math.ceil(seconds / POSITION_SECONDS)));
  if (tokens.length === 0 || frames === 0) return [];
  const starts = alignTokens(rows, frames);
  const startOf = (token: number) => Math.min(seconds, (starts[token] ?? frames) * POSITION_SECONDS);
  return groupTokens(tokenizer, language, tokens, first).map(({ text, from, to }) => {
    const start = startOf(from);
    const sum = logprobs.slice(from, to).reduce((total, logprob) => total + logprob, 0);
    return {
      text,
      start,
      end: Math.min(Math.max(startOf(to), start), start + WORD_SECONDS_MAX),
      score: Math.exp(sum / (to - from)),
      from,
      to,
    };
  });
}

type Group = { text: string; from: number; to: number };

/** Tokens that make a word: up to the next space, or character by character where a language has none. */
function groupTokens(tokenizer: Tokenizer, language: string, tokens: readonly number[], first: number): Group[] {
  const groups: Group[] = [];
  const isSpaced = !UNSPACED.has(language);
  let from = first;
  let isNew = true;
  for (let index = first; index < tokens.length; index++) {
    const token = tokens[index] as number;
    if (token >= FIRST_TIME) {
      from = index + 1;
      isNew = true;
      continue;
    }
    const text = tokenizer.decode(tokens.slice(from, index + 1));
    // Half a character: the next token brings the rest.
    if (text.endsWith('\ufffd')) continue;
    const last = groups.at(-1);
    const joins = last && !isNew && (PUNCTUATION.test(text) || (isSpaced && !text.startsWith(' ')));
    if (joins) {
      last.text += text;
      last.to = index + 1;
    } else groups.push({ text, from, to: index + 1 });
    isNew = false;
    from = index + 1;
  }
  return groups;
}

/** The first frame of each token. */
function alignTokens(rows: readonly Float32Array[][], frames: number): number[] {
  const heads = rows[0]?.length ?? 0;
  const costs = rows.map(() => new Float32Array(frames));
  for (let head = 0; head < heads; head++) {
    const normal = normalizeFrames(
      rows.map((row) => row[head] as Float32Array),
      frames,
    );
    for (const [token, values] of normal.entries()) {
      const smooth = smoothen(values);
      const cost = costs[token] as Float32Array;
      for (let frame = 0; frame < frames; frame++)
        cost[frame] = (cost[frame] as number) - (smooth[frame] as number) / heads;
    }
  }
  return tracePath(costs, frames);
}

/** Each frame by its mean and spread over all tokens. */
function normalizeFrames(rows: Float32Array[], frames: number): Float32Array[] {
  const result = rows.map(() => new Float32Array(frames));
  for (let frame = 0; frame < frames; frame++) {
    let sum = 0;
    let squares = 0;
    for (const row of rows) {
      const value = row[frame] as number;
      sum += value;
      squares += value * value;
    }
    const mean = sum / rows.length;
    const spread = Math.sqrt(Math.max(squares / rows.length - mean * mean, 1e-12));
    for (const [token, row] of rows.entries())
      (result[token] as Float32Array)[frame] = ((row[frame] as number) - mean) / spread;
  }
  return result;
}

/** A median filter. */
function smoothen(values: Float32Array): Float32Array {
  const half = (MEDIAN - 1) / 2;
  const around = new Float32Array(MEDIAN);
  return values.map((_, at) => {
    for (let i = -half; i <= half; i++) {
      const place = Math.abs(at + i);
      around[i + half] = values[place < values.length ? place : 2 * values.length - 2 - place] ?? 0;
    }
    return around.sort()[half] as number;
  });
}

/** Dynamic time warping: the cheapest path, on which tokens and frames only go forward. */
function tracePath(costs: readonly Float32Array[], frames: number): number[] {
  const tokens = costs.length;
  const width = frames + 1;
  const total = new Float32Array((tokens + 1) * width).fill(Number.POSITIVE_INFINITY);
  const steps = new Uint8Array((tokens + 1) * width);
  total[0] = 0;
  for (let token = 1; token <= tokens; token++)
    for (let frame = 1; frame <= frames; frame++) {
      const at = token * width + frame;
      const both = total[at - width - 1] as number;
      const sameFrame = total[at - width] as number;
      const sameToken = total[at - 1] as number;
      const least = Math.min(both, sameFrame, sameToken);
      total[at] = least + ((costs[token - 1] as Float32Array)[frame - 1] as number);
      steps[at] = least === both ? 0 : least === sameFrame ? 1 : 2;
    }
  const starts = new Array<number>(tokens).fill(0);
  for (let token = tokens, frame = frames; token > 0 && frame > 0; ) {
    starts[token - 1] = frame - 1;
    const step = steps[token * width + frame];
    if (step !== 2) token--;
    if (step !== 1) frame--;
  }
  return starts;
}
