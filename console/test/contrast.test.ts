import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { contrast, pairs, readColours } from './contrast.ts';

const colours = readColours(readFileSync(new URL('../src/styles/tokens.css', import.meta.url), 'utf8'));
const page = readFileSync(new URL('../../docs/console.md', import.meta.url), 'utf8');

describe.each(['light', 'dark'] as const)('the %s theme', (theme) => {
  test.each(pairs)('has %s on %s with a contrast of %d or more', (front, back, least) => {
    const [above, below] = [colours.get(front), colours.get(back)];
    if (!above || !below) throw new Error('tokens.css has no such colour');
    expect(contrast(above[theme], below[theme])).toBeGreaterThanOrEqual(least);
  });
});

test('docs/console.md has the actual contrasts of the colours', () => {
  const rows = pairs.map(([front, back, least]) => {
    const [above, below] = [colours.get(front), colours.get(back)];
    if (!above || !below) throw new Error('tokens.css has no such colour');
    const figures = (['light', 'dark'] as const).map((theme) => contrast(above[theme], below[theme]).toFixed(1));
    return `| \`${front}\` on \`${back}\` | ${figures.join(' | ')} | ${least} |`;
  });
  expect(page).toContain(rows.join('\n'));
});

test('known colours have their known contrast', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});
