import { describe, expect, it } from 'vitest';
import { createBodyTurns } from './body-turns.ts';

const MIB = 1024 * 1024;
const of = (organization: string, key = organization) => ({ organization, key });

describe('large request bodies', () => {
  it('of one organization and of one key wait for their share, and others pass', async () => {
    const turns = createBodyTurns();
    const begun: string[] = [];
    const enter = (organization: string, key: string, mib: number) => {
      const wait = turns.enter(of(organization, key), mib * MIB);
      if (wait) void wait.then(() => begun.push(`${key} ${mib}`));
      else begun.push(`${key} ${mib}`);
    };
    enter('a', 'a1', 10);
    enter('a', 'a1', 3);
    enter('a', 'a2', 5);
    enter('a', 'a3', 2);
    enter('b', 'b1', 15);
    expect(begun).toEqual(['a1 10', 'a2 5', 'b1 15']);
    turns.leave(of('a', 'a2'), 5 * MIB);
    await Promise.resolve();
    // a1 has its share, so its second body lets the other key of its organization pass.
    expect(begun).toEqual(['a1 10', 'a2 5', 'b1 15', 'a3 2']);
    turns.leave(of('a', 'a1'), 10 * MIB);
    await Promise.resolve();
    expect(begun).toEqual(['a1 10', 'a2 5', 'b1 15', 'a3 2', 'a1 3']);
  });

  it('wait in the turns of their organizations, then of their keys, when the server holds enough', async () => {
    const turns = createBodyTurns();
    const begun: string[] = [];
    expect(turns.enter(of('large'), 200 * MIB)).toBeUndefined();
    const waits = [
      ['a', 'a1'],
      ['a', 'a1'],
      ['a', 'a2'],
      ['b', 'b1'],
    ].map(([organization = '', key = '']) => {
      const wait = turns.enter(of(organization, key), MIB);
      expect(wait).toBeInstanceOf(Promise);
      return wait?.then(() => begun.push(key));
    });
    turns.leave(of('large'), 200 * MIB);
    await Promise.all(waits);
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a1']);
    expect(turns.enter(of('c'), 16 * MIB)).toBeUndefined();
  });
});
