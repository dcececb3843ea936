import { describe, expect, it } from 'vitest';
import { createLetters } from './letters.ts';

const texts = ['आज', 'آج', ' word', ' 7', '\u0ba4'];
const lettersOf = createLetters((token) => Buffer.from(texts[token] ?? ''));
const named = (tokens: readonly number[]) => tokens.map((token) => texts[token]);

describe('letters', () => {
  it('of Hindi are never those of Urdu, and of Urdu never those of Hindi', () => {
    expect(named(lettersOf('hi').foreign)).toEqual(['آج']);
    expect(named(lettersOf('ur').foreign)).toEqual(['आज', '\u0ba4']);
    expect(lettersOf('fr').foreign).toEqual([]);
  });

  it('of a text are foreign where none is of the language, so that names in Latin letters stay', () => {
    const { areForeign, allForeign } = lettersOf('hi');
    expect(areForeign('Today the weather is good.')).toBe(true);
    expect(areForeign('आज Anna आई')).toBe(false);
    expect(areForeign(' 7, 8.')).toBe(false);
    expect(named(allForeign())).toEqual(['آج', ' word']);
  });
});
