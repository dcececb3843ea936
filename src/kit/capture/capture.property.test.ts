import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpuMsOf } from '../../../test/support/cpu-time.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { prepareCapture } from './index.ts';

const atom = fc.constantFrom('a', 'b', '.', '\\d', '[ab]', '[^a]', '\\.', '=', ',', '1');
const pattern = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small' },
    atom,
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(atom, fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,3}?'))
      .map((parts) => parts.join('')),
    // A round of a loop that takes nothing: the runtime goes back and lets it take more, which costs it its bound.
    tie('pattern')
      .filter((inner) => !new RegExp(`^(?:${inner})$`).test(''))
      .map((inner) => `(?:${inner})*`),
    tie('pattern').map((inner) => `^${inner}`),
    tie('pattern').map((inner) => `${inner}$`),
  ),
})).pattern;
const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '.', '=', ','), maxLength: 12 });

it('finds what the runtime finds', () => {
  fc.assert(
    fc.property(pattern, pattern, pattern, text, (before, inside, after, within) => {
      const source = `${before}(${inside})${after}`;
      const expected = new RegExp(source).exec(within)?.[1] ?? null;
      expect(prepareCapture(source)?.(within)).toBe(expected);
    }),
    { numRuns: rounds(1000, 100_000) },
  );
});

it('takes patterns that signatures have', () => {
  const find = (source: string, within: string) => prepareCapture(source)?.(within);
  expect(find('sha256=(.*)', 'sha256=abc')).toBe('abc');
  expect(find('t=(\\d+)', 't=12,v1=ab,v1=cd')).toBe('12');
  expect(find('v1=([^,]+)', 't=12,v1=ab,v1=cd')).toBe('ab');
  expect(find('(?:sha256|sha1)=([0-9a-f]{2,})', 'x sha1=00ff')).toBe('00ff');
  expect(find('v1,(\\S+)', 'v1,a+/= v1,b')).toBe('a+/=');
  expect(find('a(b)?', 'a')).toBeNull();
  expect(find('a(b)', 'x')).toBeNull();
});

it.each([
  'sha256=.*',
  '(',
  '(a',
  'a)',
  '*(a)',
  '(?=a)(b)',
  '(a)\\1',
  '(?<n>a)',
  '(a){2000}',
  '[z-a](b)',
  '((((a{9}){9}){9}){9})',
  '(a)\\b',
])('%s is not taken', (source) => {
  expect(prepareCapture(source)).toBeUndefined();
});

it('takes time in proportion to pattern and text, whatever they are', () => {
  for (const source of [
    '^((?:a+)+)+$',
    '(a*)*b',
    '((a|a)*)*c',
    `(${'a?'.repeat(80)}${'a'.repeat(80)})`,
    '(.*.*.*.*.*)x',
  ]) {
    const find = prepareCapture(source);
    expect(
      cpuMsOf(() => find?.(`${'a'.repeat(1024)}!`)),
      source,
    ).toBeLessThan(1000);
  }
});
