import type { Tokenizer } from './tokenizer.ts';

/** Tokens that the model sees at once, with the marks at both ends. It was tuned on texts up to this length. */
export const WINDOW_TOKENS = 256;
const MARKS = 2;
/** Above this, bigger batches bring no speed; they only make others wait. */
const BATCH_WINDOWS_MAX = 16;
const BATCH_TOKENS_MAX = 2048;

/** A stretch of one text, marks included. */
export type Window = { text: number; ids: number[] };

/** Adds the windows of a text. Returns its tokens with one pair of marks, however many windows it takes. */
export function encodeText(text: string, index: number, tokenizer: Tokenizer, windows: Window[]): number {
  const ids = tokenizer.encode(text);
  const step = WINDOW_TOKENS - MARKS;
  for (let start = 0; start === 0 || start < ids.length; start += step)
    windows.push({ text: index, ids: [tokenizer.beginId, ...ids.slice(start, start + step), tokenizer.endId] });
  return ids.length + MARKS;
}

/** Windows of about the same length, so that little is padded. */
export function batchWindows(windows: Window[]): Window[][] {
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
