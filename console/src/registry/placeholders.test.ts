import { describe, expect, it } from 'vitest';
import { piecesOf, variablesOf } from './placeholders.ts';

const filled = (content: string, values: Record<string, string>) =>
  piecesOf(content, values)
    .map(({ text }) => text)
    .join('');

describe('placeholders', () => {
  it('are found once each and in order; other text is left alone', () => {
    expect(variablesOf('{{a}} {{ b.c }} {{a}} {{1}} { {d} }')).toEqual(['a', 'b.c']);
  });

  it('are replaced by values that are not searched again', () => {
    expect(filled('{{a}} and {{ b }} and {{c}}.', { a: '{{b}}', b: 'B', c: '' })).toBe('{{b}} and B and {{c}}.');
  });

  it('may have the name of an Object.prototype property', () => {
    expect(filled('{{constructor}}', {})).toBe('{{constructor}}');
  });
});
