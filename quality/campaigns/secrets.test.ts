import { describe, expect, it } from 'vitest';
import { createCanaries, findIn } from './secrets/canaries.ts';

describe('the search for canaries', () => {
  const canaries = createCanaries();
  const value = canaries.make('key', 'planted');

  it.each([
    ['as it is', `x ${value} y`],
    ['in hexadecimal', Buffer.from(`x ${value} y`).toString('hex')],
    ['in base64', Buffer.from(value).toString('base64')],
    ['within a longer text in base64', Buffer.from(`xy ${value} z`).toString('base64')],
    ['in base64 for addresses', Buffer.from(`?${value}?`).toString('base64url')],
    ['in an address', encodeURIComponent(value)],
  ])('finds one %s', (_, text) => {
    expect(findIn(text, canaries.all)).toEqual([{ name: 'planted', kind: 'key', value }]);
  });

  it('finds none where there is none, and takes none that chance could make', () => {
    expect(findIn('canary', canaries.all)).toEqual([]);
    expect(() => canaries.add('key', 'short', 'abc')).toThrow('too short');
  });
});
