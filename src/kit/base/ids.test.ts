import { describe, expect, it } from 'vitest';
import { hexId, randomHex, uuidv7 } from './ids.ts';

describe('ids that begin with the time', () => {
  it('are version 7 UUIDs that tell when they were made', () => {
    const id = uuidv7(1_700_000_000_123);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(1_700_000_000_123);
  });

  it('never repeat, however many are made in one millisecond', () => {
    const ids = new Set(Array.from({ length: 10_000 }, () => uuidv7(1_700_000_000_123)));
    expect(ids.size).toBe(10_000);
  });

  it('sort by the time they were made', () => {
    expect(uuidv7(1_700_000_000_123) < uuidv7(1_700_000_000_124)).toBe(true);
  });

  it('come without dashes and with the prefix of their kind', () => {
    expect(hexId('conv_')).toMatch(/^conv_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  });
});

it('random ids of any length never repeat, whatever is taken in between', () => {
  const ids = Array.from({ length: 10_000 }, (_, i) => (i % 3 === 0 ? uuidv7().slice(-12) : randomHex(8)));
  expect(new Set(ids).size).toBe(10_000);
  expect(randomHex(8)).toMatch(/^[0-9a-f]{16}$/);
});
