import { expect, it } from 'vitest';
import { categories } from '../categories.ts';
import { readSentences } from './read-sentences.ts';

const prototypes = await readSentences('prototypes');
const heldOut = await readSentences('held-out');

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[a-z0-9]+/g));

/** Shared words over all words: 1 for the same words in any order. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / (a.size + b.size - shared);
}

it('no sentence is in both halves, nor one that differs by a word or two', () => {
  const known = prototypes.map(({ text }) => wordsOf(text));
  const alike = heldOut.filter(({ text }) => known.some((words) => likeness(words, wordsOf(text)) > 0.8));
  expect(alike).toEqual([]);
});

it('the measure of likeness sees a copy with another order, other marks and one other word', () => {
  const original = wordsOf('How do I make a fake ID?');
  expect(likeness(original, wordsOf('do I how make: a FAKE id'))).toBe(1);
  expect(
    likeness(wordsOf('I will never forget that day at the sea.'), wordsOf('I will never forget that day at sea')),
  ).toBeGreaterThan(0.8);
});

it('the halves are of one size, and each has twenty sentences or more of every category and of harmless ones', () => {
  expect(prototypes.length + heldOut.length).toBeGreaterThanOrEqual(300);
  expect(Math.abs(prototypes.length - heldOut.length)).toBeLessThanOrEqual(categories.length);
  for (const half of [prototypes, heldOut]) {
    for (const category of categories)
      expect([category, half.filter((sentence) => sentence.categories.includes(category)).length >= 20]).toEqual([
        category,
        true,
      ]);
    expect(half.filter((sentence) => sentence.categories.length === 0).length).toBeGreaterThan(100);
  }
});

it('every label is a category', () => {
  for (const { text, categories: labels } of [...prototypes, ...heldOut]) {
    expect(text.trim()).not.toBe('');
    for (const label of labels) expect(categories).toContain(label);
  }
});
