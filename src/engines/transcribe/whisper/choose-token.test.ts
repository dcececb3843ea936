import { describe, expect, it } from 'vitest';
import { chooseToken } from './choose-token.ts';
import { END, FIRST_TIME, NO_TIMES, SUPPRESSED, VOCABULARY } from './tokenizer.ts';

const LAST_TIME = FIRST_TIME + 1500;
const never = () => 0;

/** Everything is unlikely but these. */
function logits(...likely: [token: number, logit: number][]): Float32Array {
  const values = new Float32Array(VOCABULARY).fill(-20);
  for (const [token, logit] of likely) values[token] = logit;
  return values;
}
const choose = (given: Float32Array, written: number[] = []) => chooseToken(given, written, 0, LAST_TIME, never).token;

describe('the next token', () => {
  it('of an empty transcript is a time of its first second', () => {
    expect(choose(logits([1000, 5], [FIRST_TIME + 400, 4], [FIRST_TIME + 3, 1]))).toBe(FIRST_TIME + 3);
  });

  it('is never a sign that stands for no words, nor the mark that turns times off', () => {
    const [music = 0] = SUPPRESSED;
    expect(choose(logits([music, 9], [NO_TIMES, 8], [1000, 2]), [FIRST_TIME, 999])).toBe(1000);
  });

  it('after the time that ends a segment is a time or the end, and after a pair of times a text', () => {
    const given = () => logits([1000, 9], [FIRST_TIME + 60, 3], [END, 1]);
    expect(choose(given(), [FIRST_TIME, 999, FIRST_TIME + 50])).toBe(FIRST_TIME + 60);
    expect(choose(given(), [FIRST_TIME, 999, FIRST_TIME + 50, FIRST_TIME + 60])).toBe(1000);
  });

  it('never goes back in time, nor beyond the end of the window', () => {
    const given = logits([FIRST_TIME + 10, 9], [FIRST_TIME + 1600 - 110, 8], [FIRST_TIME + 80, 2]);
    expect(chooseToken(given, [FIRST_TIME, 999, FIRST_TIME + 50], 0, FIRST_TIME + 100, never).token).toBe(
      FIRST_TIME + 80,
    );
  });

  it('is a time when times together are likelier than any word', () => {
    const times = Array.from({ length: 40 }, (_, i): [number, number] => [FIRST_TIME + 60 + i, 2]);
    expect(choose(logits([1000, 4], ...times), [FIRST_TIME, 999])).toBeGreaterThanOrEqual(FIRST_TIME + 60);
    expect(choose(logits([1000, 9], ...times), [FIRST_TIME, 999])).toBe(1000);
  });
});
