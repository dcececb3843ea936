import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurns } from './in-turn.ts';

it('work of a key runs one after the other, also after one that failed, and other keys at once', async () => {
  const inTurn = createTurns();
  const seen: string[] = [];
  const work = (name: string, fails = false) =>
    inTurn(name.charAt(0), async () => {
      seen.push(`${name} begins`);
      await nextTurn();
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const all = await Promise.allSettled([work('a1'), work('a2', true), work('b1'), work('a3')]);
  expect(all.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
    'a1',
    'Error: a2',
    'b1',
    'a3',
  ]);
  expect(seen.filter((name) => name.startsWith('a'))).toEqual([
    ...['a1 begins', 'a1 ends'],
    ...['a2 begins', 'a2 ends'],
    ...['a3 begins', 'a3 ends'],
  ]);
  expect(seen.indexOf('b1 begins')).toBeLessThan(seen.indexOf('a1 ends'));
});
