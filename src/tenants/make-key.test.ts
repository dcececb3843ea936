import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashKey, hintOf, isWellFormed, makeKey } from './make-key.ts';

it('a new key is well-formed, of its kind, and never made twice', () => {
  const keys = Array.from({ length: 1000 }, (_, i) => makeKey(i % 2 ? 'admin' : 'standard'));
  expect(new Set(keys).size).toBe(1000);
  for (const [i, key] of keys.entries()) {
    expect(isWellFormed(key)).toBe(true);
    expect(key).toMatch(i % 2 ? /^tma_[0-9A-Za-z]{46}$/ : /^tmk_[0-9A-Za-z]{46}$/);
  }
});

it('any single changed character breaks the checksum', () => {
  const alphabet = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 49 }), fc.constantFrom(...alphabet), (at, character) => {
      const key = makeKey('standard');
      const changed = key.slice(0, at) + character + key.slice(at + 1);
      expect(isWellFormed(changed)).toBe(changed === key);
    }),
  );
});

it('any other text is not well-formed', () => {
  fc.assert(fc.property(fc.string(), (text) => !isWellFormed(text)));
  expect(isWellFormed('')).toBe(false);
});

it('only a hash and four characters remain of a key', () => {
  const key = makeKey('standard');
  expect(hashKey(key)).toMatch(/^[0-9a-f]{64}$/);
  expect(hintOf(key)).toHaveLength(4);
});
