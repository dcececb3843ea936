import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { scanJson } from './scan-json.ts';

const unlimited = { depthMax: 1000, keysMax: 1e9, objectKeysMax: 1e9, valuesMax: 1e9 };

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, child) => sum + countKeys(child), own);
}

it('counts the keys that a parser would find', () => {
  // Strings of one alphabet, so that quotes and backslashes stand at every place of short and of long ones.
  const text = fc.string({ unit: fc.constantFrom('"', '\\', 'a', ':', '{', 'é', '😀'), maxLength: 120, size: 'max' });
  const document = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, text, fc.integer(), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 5 }),
    object: fc.dictionary(text, tie('value'), { maxKeys: 5 }),
  })).value;
  fc.assert(
    fc.property(document, fc.constantFrom(undefined, 2), (value, indent) => {
      const bytes = new TextEncoder().encode(JSON.stringify(value, null, indent));
      expect(scanJson(bytes, unlimited)).toEqual({ keys: countKeys(JSON.parse(JSON.stringify(value))) });
    }),
    { numRuns: rounds(150, 1000) },
  );
});

it('ends on whatever bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      scanJson(bytes, unlimited);
    }),
  );
});

it('a mistake in one text does not count for the next', () => {
  const limits = { ...unlimited, objectKeysMax: 2 };
  for (let time = 0; time < 5; time++) expect(scanJson(Buffer.from('data: {"a":1}'), limits)).toEqual({ keys: 2 });
});
