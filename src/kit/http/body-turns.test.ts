import { describe, expect, it } from 'vitest';
import { createBodyTurns } from './body-turns.ts';

const MIB = 1024 * 1024;

describe('large request bodies', () => {
  it('of one caller wait for its share, and others pass', async () => {
    const turns = createBodyTurns();
    const begun: string[] = [];
    const enter = (caller: string, mib: number) => {
      const wait = turns.enter(caller, mib * MIB);
      if (wait) void wait.then(() => begun.push(`${caller}${mib}`));
      else begun.push(`${caller}${mib}`);
    };
    enter('a', 10);
    enter('a', 7);
    enter('b', 15);
    expect(begun).toEqual(['a10', 'b15']);
    turns.leave('a', 10 * MIB);
    await Promise.resolve();
    expect(begun).toEqual(['a10', 'b15', 'a7']);
  });

  it('of all callers wait in their order when the server holds enough, and one of any size may be alone', async () => {
    const turns = createBodyTurns();
    const begun: string[] = [];
    expect(turns.enter('large', 200 * MIB)).toBeUndefined();
    const first = turns.enter('a', 30 * MIB)?.then(() => begun.push('a'));
    const second = turns.enter('b', MIB)?.then(() => begun.push('b'));
    expect([first, second]).toEqual([expect.any(Promise), expect.any(Promise)]);
    turns.leave('large', 200 * MIB);
    await Promise.all([first, second]);
    expect(begun).toEqual(['a', 'b']);
    expect(turns.enter('c', 32 * MIB)).toBeUndefined();
  });
});
