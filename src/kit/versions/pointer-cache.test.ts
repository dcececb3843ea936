import { describe, expect, it } from 'vitest';
import { createPointerCache } from './pointer-cache.ts';

const pointer = { id: 'x', revision: 1, version: 1 };

describe('the memory of where names point', () => {
  it('keeps what it is told until its workspace changes', () => {
    const cache = createPointerCache({ kind: 'sqlite' });
    cache.watch()('w', 'a', pointer);
    cache.watch()('v', 'a', pointer);
    expect(cache.get('w', 'a')).toBe(pointer);
    cache.forget('w');
    expect(cache.get('w', 'a')).toBeUndefined();
    expect(cache.get('v', 'a')).toBe(pointer);
  });

  it('does not keep what was on its way when something changed', () => {
    const cache = createPointerCache({ kind: 'sqlite' });
    const keep = cache.watch();
    cache.forget('w');
    keep('w', 'a', pointer);
    expect(cache.get('w', 'a')).toBeUndefined();
  });

  it('keeps nothing where other processes change what it would remember', () => {
    const cache = createPointerCache({ kind: 'postgres' });
    cache.watch()('w', 'a', pointer);
    expect(cache.get('w', 'a')).toBeUndefined();
  });

  it('does not grow without end', () => {
    const cache = createPointerCache({ kind: 'sqlite' });
    for (let i = 0; i <= 20_000; i++) cache.watch()(`w${i % 10}`, `${i}`, pointer);
    expect(cache.get('w1', '1')).toBeUndefined();
    expect(cache.get('w0', '20000')).toBe(pointer);
  });
});
