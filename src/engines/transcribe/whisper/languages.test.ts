import { expect, it } from 'vitest';
import { isForeign } from './languages.ts';

const bytes = (text: string) => Buffer.from(text).toString('latin1');

it('Hindi is written in Devanagari and Urdu in Arabic letters', () => {
  expect(['आज', 'آج', 'today'].map((word) => isForeign('hi', bytes(word)))).toEqual([false, true, false]);
  expect(['आज', 'آج', 'today'].map((word) => isForeign('ur', bytes(word)))).toEqual([true, false, false]);
  expect(['आज', 'آج'].map((word) => isForeign('fa', bytes(word)))).toEqual([false, false]);
});
