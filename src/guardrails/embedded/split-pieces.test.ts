import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitPieces } from './split-pieces.ts';

it('a sentence is one piece', () => {
  expect(splitPieces('How are you today?')).toEqual(['How are you today?']);
});

it('sentences are judged alone and with their neighbours', () => {
  expect(splitPieces('First one. Second one!\nThird')).toEqual([
    'First one.',
    'Second one!',
    'Third',
    'First one. Second one!\nThird',
  ]);
});

it('nothing is no piece', () => {
  for (const text of ['', ' \n ', '\n\n']) expect(splitPieces(text)).toEqual([]);
});

it('no piece is longer than a model judges well, and every word is in one', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}[.!?\n]?$/), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(words, (list) => {
      const pieces = splitPieces(list.join(' '));
      for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(240);
      for (const word of list) expect(pieces.some((piece) => piece.includes(word.trim()))).toBe(true);
    }),
  );
});

it('a text without spaces is cut all the same, and quickly', () => {
  const startedAt = performance.now();
  expect(splitPieces('x'.repeat(400_000)).join('').length).toBeGreaterThanOrEqual(240);
  splitPieces('a.'.repeat(200_000));
  expect(performance.now() - startedAt).toBeLessThan(3000);
});
