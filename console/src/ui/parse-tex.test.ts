import { expect, it } from 'vitest';
import { DISPLAY, INLINE, type MathNode, markMaths, parseTex } from './parse-tex.ts';

const show = ({ tag, text, inside }: MathNode): string => `${tag}(${text ?? inside?.map(show).join(' ')})`;
const read = (tex: string) => parseTex(tex).map(show).join(' ');

it('reads fractions, roots, powers, indices, letters and operators', () => {
  expect(read('\\frac{1}{2}')).toBe('mfrac(mrow(mn(1)) mrow(mn(2)))');
  expect(read('x^2_i + \\alpha')).toBe('msubsup(mi(x) mi(i) mn(2)) mo(+) mi(α)');
  expect(read('\\sqrt{x}')).toBe('msqrt(mrow(mi(x)))');
  expect(read('\\sum_{i=1}^n')).toBe('msubsup(mo(∑) mrow(mi(i) mo(=) mn(1)) mi(n))');
  expect(read('\\text{if } \\unknown')).toBe('mtext(if) mtext(\\unknown)');
});

it('ends on anything, also on broken and deep input', () => {
  for (const tex of [
    '{',
    '}',
    '^',
    '\\',
    '\\frac',
    '\\frac{',
    'x^',
    '{'.repeat(5000),
    '^'.repeat(5000),
    '\\sqrt'.repeat(5000),
  ])
    expect(Array.isArray(parseTex(tex))).toBe(true);
});

it('finds maths in text, and leaves code and money alone', () => {
  expect(markMaths('so $x^2$ and $$y$$ and \\(a\\) and \\[b\\]')).toBe(
    `so \`${INLINE}x^2\` and \`${DISPLAY}y\` and \`${INLINE}a\` and \`${DISPLAY}b\``,
  );
  for (const text of ['it costs $5 or $6', '`$x$`', '```\n$x$\n```', '$ x $', 'one $ sign'])
    expect(markMaths(text)).toBe(text);
});
