import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { includesText } from './includes-text.ts';

it('finds what the runtime finds', () => {
  // Shorter parts are left to the runtime; without `size` nearly all would be.
  const few = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 200, size: 'max' });
  const some = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '💡'), maxLength: 200, size: 'max' });
  const around = fc.tuple(few, few, few).map(([before, part, after]) => ({ text: before + part + after, part }));
  const pairs = fc.oneof(fc.record({ text: few, part: few }), fc.record({ text: some, part: some }), around);
  fc.assert(
    fc.property(pairs, ({ text, part }) => includesText(text, part) === text.includes(part)),
    { numRuns: rounds(200, 2000) },
  );
});

it.each([
  ['a part that nearly fits everywhere', 'a'.repeat(1_000_000), `${'a'.repeat(500_000)}b`],
  ['a part that fails at its begin', 'a'.repeat(1_000_000), `b${'a'.repeat(500_000)}`],
  ['a repeated word', 'ab'.repeat(500_000), `${'ab'.repeat(250_000)}b`],
])('ends at once for two long texts: %s', (_, text, part) => {
  expect(includesText(text, part)).toBe(false);
  expect(includesText(text + part, part)).toBe(true);
});
