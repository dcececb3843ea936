import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countCpuMs } from '../../../test/support/cpu-time.ts';
import { splitPieces } from './split-pieces.ts';

it('a sentence is one piece', () => {
  expect(splitPieces('How are you today?', true)).toEqual(['How are you today?']);
});

it('sentences are judged with their neighbours and, unless they are short, alone', () => {
  const text = 'Yes. The first sentence is here. And there is the second one!\nThird';
  expect(splitPieces(text, true)).toEqual(['The first sentence is here.', 'And there is the second one!', text]);
  expect(splitPieces(text, false)).toEqual([text]);
});

it('nothing is no piece', () => {
  for (const text of ['', ' \n ', '\n\n']) expect(splitPieces(text, true)).toEqual([]);
});

it('a text of many tiny sentences has no more pieces than its length allows', () => {
  const text = Array.from({ length: 20_000 }, (_, index) => `${index}.`).join(' ');
  expect(splitPieces(text, true).length).toBeLessThan(text.length / 200);
});

it('no piece is longer than a model judges well, and every word is in one', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}[.!?\n]?$/), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(words, (list) => {
      const pieces = splitPieces(list.join(' '), true);
      for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(240);
      for (const word of list) expect(pieces.some((piece) => piece.includes(word.trim()))).toBe(true);
    }),
  );
});

it('a text without spaces is cut all the same, and quickly', () => {
  const cpuMs = countCpuMs();
  expect(splitPieces('x'.repeat(400_000), true).join('').length).toBeGreaterThanOrEqual(240);
  splitPieces('a.'.repeat(200_000), true);
  expect(cpuMs()).toBeLessThan(3000);
});
