import type { Tokenizer } from './tokenizer.ts';

/** Tokens that the model sees at once, with the marks at both ends. It was tuned on texts up to this length. */
export const WINDOW_TOKENS = 256;
const MARKS = 2;
/** Above this, bigger batches bring no speed; they only make others wait. */
const BATCH_WINDOWS_MAX = 16;
const BATCH_TOKENS_MAX = 2048;

/** A stretch of one text, marks included. */
export type Window = { text: number; ids: number[] };

export type Plan = {
  /** Windows of about the same length, so that little is padded. */
  batches: Window[][];
  /** Each text's tokens with one pair of marks, however many windows it takes. */
  tokens: number[];
};

export function planBatches(texts: string[], tokenizer: Tokenizer): Plan {
  const windows: Window[] = [];
  const tokens = texts.map((text, index) => {
    const ids = tokenizer.encode(text);
    const step = WINDOW_TOKENS - MARKS;
    for (let start = 0; start === 0 || start < ids.length; start += step) {
      const stretch = ids.slice(start, start + step);
      windows.push({ text: index, ids: [tokenizer.beginId, ...stretch, tokenizer.endId] });
    }
    return ids.length + MARKS;
  });
  return { batches: batch(windows), tokens };
}

export function countTokens(texts: string[], tokenizer: Tokenizer): number[] {
  return texts.map((text) => tokenizer.encode(text).length + MARKS);
}

function batch(windows: Window[]): Window[][] {
  const sorted = windows.toSorted((a, b) => a.ids.length - b.ids.length);
  const batches: Window[][] = [];
  let current: Window[] = [];
  for (const window of sorted) {
    // Sorted, so the newest is the longest, and all are padded to it.
    const paddedTokens = (current.length + 1) * window.ids.length;
    const isFull = current.length === BATCH_WINDOWS_MAX || paddedTokens > BATCH_TOKENS_MAX;
    if (isFull && current.length > 0) {
      batches.push(current);
      current = [];
    }
    current.push(window);
  }
  if (current.length > 0) batches.push(current);
  return batches;
}
