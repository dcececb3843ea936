import { describe, expect, it } from 'vitest';
import { createReadingTurns } from './reading-turns.ts';

const MIB = 1024 * 1024;

const of = (organization: string, key = organization) => ({ organization, key });

/** Enters, and tells whether it could at once. */
function entering(turns: ReturnType<typeof createReadingTurns>, organization: string, key = organization) {
  const state = { isIn: false };
  const wait = turns.enter(of(organization, key));
  if (wait) void wait.then(() => Object.assign(state, { isIn: true }));
  else state.isIn = true;
  return state;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the turns of readers', () => {
  it('let one caller read two groups at a time, and others meanwhile', async () => {
    const turns = createReadingTurns();
    const own = Array.from({ length: 3 }, () => entering(turns, 'a'));
    const other = entering(turns, 'b');
    expect([...own, other].map(({ isIn }) => isIn)).toEqual([true, true, false, true]);
    turns.leave(of('a'));
    await settled();
    expect(own.every(({ isIn }) => isIn)).toBe(true);
  });

  it('go round the organizations, then round the keys of one', async () => {
    const turns = createReadingTurns();
    for (const name of ['w', 'x', 'y', 'z']) entering(turns, name);
    const order: string[] = [];
    for (const [organization, key] of [
      ['a', 'a1'],
      ['a', 'a1'],
      ['a', 'a2'],
      ['b', 'b1'],
    ] as const)
      void turns.enter(of(organization, key))?.then(() => order.push(key));
    for (const name of ['w', 'x', 'y', 'z']) {
      turns.leave(of(name));
      await settled();
    }
    expect(order).toEqual(['a1', 'b1', 'a2']);
  });

  it('let a caller wait while much of his waits for slow clients, and nobody else', async () => {
    const turns = createReadingTurns();
    turns.hold(of('slow'), 16 * MIB);
    const [slow, other] = [entering(turns, 'slow'), entering(turns, 'other')];
    expect([slow.isIn, other.isIn]).toEqual([false, true]);
    turns.release(of('slow'), 16 * MIB);
    await settled();
    expect(slow.isIn).toBe(true);
  });

  it('let all wait when all slow clients together keep too much', async () => {
    const turns = createReadingTurns();
    for (let n = 0; n < 4; n++) turns.hold(of(`slow ${n}`), 16 * MIB);
    const other = entering(turns, 'other');
    expect(other.isIn).toBe(false);
    turns.release(of('slow 0'), 1);
    await settled();
    expect(other.isIn).toBe(true);
  });
});
