import { expect, test } from 'vitest';
import { cutText } from './cut-text.ts';

const MARK = '<|im_end|>';

test('long text is cut before words, never inside a control text or a character, and nothing is lost', () => {
  const prose = 'one word after another '.repeat(1000);
  for (const slice of [...cutText(prose, [MARK])].slice(1)) expect(slice).toMatch(/^ \w/);
  for (const text of [prose, `x${MARK}`.repeat(3000), 'a'.repeat(10_000), `a${'\u{1F600}'.repeat(6000)}`, '']) {
    const slices = [...cutText(text, [MARK])];
    expect(slices.join('')).toBe(text);
    expect(slices.join('|').split(MARK)).toHaveLength(text.split(MARK).length);
    for (const slice of slices) expect(slice.isWellFormed()).toBe(true);
  }
});
