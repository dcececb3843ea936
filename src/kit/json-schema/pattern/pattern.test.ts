import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../../test/support/rounds.ts';
import { createBudget } from '../budget.ts';
import { preparePattern } from './index.ts';

function test(source: string, text: string): boolean {
  const budget = createBudget();
  // A busy machine is late, and what is asked here is the verdict.
  budget.timedMs = 60_000;
  return preparePattern(source).test(text, budget);
}

const ATOMS =
  String.raw`a b c 1 - \- . \d \D \w \W \s \S [a-c] [^a] [\w-] [\d.] \b \B ^ $ \p{L} \P{L} [\p{L}1] [^\p{L}] é
  [😀é] \u{1F600} \uD83D\uDE00 \u0061 \x62 \n \. [\]^] [^] [] \$ [a\-c] [\b-] _`.split(/\s+/);
const atom = fc.constantFrom(...ATOMS);
const quantifier = fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?', '{1,2}?');
const group = fc.constantFrom('(?=', '(?!', '(?<=', '(?<!', '(?:', '(', '(?<x>');
const { source: sources } = fc.letrec<{ source: string }>((tie) => ({
  source: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    atom,
    fc.array(tie('source'), { maxLength: 3 }).map((parts) => parts.join('')),
    fc.tuple(tie('source'), tie('source')).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie('source'), quantifier).map(([body, times]) => `(${body})${times}`),
    fc.tuple(atom, quantifier).map(([body, times]) => body + times),
    fc.tuple(group, tie('source')).map(([open, body]) => `${open}${body})`),
  ),
}));
const texts = fc.array(
  fc.array(fc.constantFrom('a', 'b', 'c', '-', '_', ' ', '1', 'é', '😀', '\n', '.', '$', '^', 'A'), { maxLength: 8 }),
  { minLength: 1, maxLength: 6 },
);

function native(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {}
  }
  return undefined;
}

it('matches what the runtime matches', () => {
  fc.assert(
    fc.property(sources, texts, (source, lists) => {
      const expected = native(source);
      if (!expected) {
        expect(() => preparePattern(source)).toThrow();
        return;
      }
      // Against the standard, the runtime looks for places between the halves of a character.
      const hasPlaces = /\\b|\(\?/i.test(source);
      for (const list of lists) {
        const text = list.map((character) => (hasPlaces && character === '😀' ? 'é' : character)).join('');
        expect([text, test(source, text)]).toEqual([text, expected.test(text)]);
      }
    }),
    { numRuns: rounds(500, 20_000) },
  );
});

it.each([
  ['^(?!\\.)(?!.*\\.\\.)([a-z_.-]*)[a-z_-]@([a-z-]+\\.)+[a-z]{2,}$', 'a.b@example.org', 'a..b@example.org'],
  ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 'Passw0rdX', 'password'],
  ['^(\\w+) \\1$', 'so so', 'so la'],
  ['^(?i:abc)$', 'ABC', 'ABD'],
  ['^[\\s\\S]{0,5000}$', 'x'.repeat(5000), 'x'.repeat(5001)],
])('knows %s', (source, match, other) => {
  expect(test(source, match)).toBe(true);
  expect(test(source, other)).toBe(false);
});
