import { expect, it } from 'vitest';
import { ownTurn } from './own-turn.ts';

it('callers take turns, however much one of them asks for', async () => {
  const order: string[] = [];
  const ask = (caller: string) => ownTurn(caller).then(() => order.push(caller));
  await Promise.all([ask('a'), ask('a'), ask('a'), ask('b'), ask('b'), ask('c')]);
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

it('a turn shares its round of the event loop with no other turn', async () => {
  let round = 0;
  let isOver = false;
  const count = () => {
    round++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const rounds: number[] = [];
  await Promise.all(
    Array.from({ length: 3 }, async () => {
      for (let step = 0; step < 3; step++) {
        await ownTurn();
        rounds.push(round);
      }
    }),
  );
  isOver = true;
  expect(rounds).toHaveLength(9);
  expect(new Set(rounds).size).toBe(9);
});
