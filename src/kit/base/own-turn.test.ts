import { setImmediate as nextRound } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ownTurn, waitForTurn } from './own-turn.ts';
import { isRoundUsed, noteArrival } from './round-budget.ts';

const of = (organization: string, key = organization) => ({ organization, key });

// Later than any real time of the process, which other tests may have noted.
let nowMs = 1e12;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

function work(ms: number): void {
  nowMs += ms;
}

it('the keys of an organization take turns, however much one of them asks for', async () => {
  const order: string[] = [];
  const ask = (key: string) => ownTurn(of('keys', key)).then(() => order.push(key));
  await Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map(ask));
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

it('an organization that had little time goes before one that had much', async () => {
  for (let step = 0; step < 3; step++) {
    await ownTurn(of('busy'));
    work(20);
  }
  await ownTurn(of('modest'));
  work(1);
  const order: string[] = [];
  const ask = (organization: string) => ownTurn(of(organization)).then(() => order.push(organization));
  await Promise.all([...['busy', 'busy', 'busy', 'modest', 'modest', 'modest'].map(ask)]);
  expect(order).toEqual(['modest', 'modest', 'modest', 'busy', 'busy', 'busy']);
});

it('short turns share a round of the event loop, and longer ones have one of their own', async () => {
  let round = 0;
  let isOver = false;
  const count = () => {
    round++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const roundsOf = async (ms: number) => {
    const rounds: number[] = [];
    const take = async () => {
      await ownTurn(of(`rounds of ${ms}`));
      rounds.push(round);
      work(ms);
    };
    await Promise.all(Array.from({ length: 6 }, take));
    return new Set(rounds).size;
  };
  expect(await roundsOf(1)).toBe(6);
  expect(await roundsOf(0)).toBeLessThan(6);
  isOver = true;
});

it('work waits for a turn when the round has been used, earlier when requests have several keys', async () => {
  await nextRound();
  expect(waitForTurn()).toBeUndefined();
  work(6);
  expect(isRoundUsed()).toBe(false);
  noteArrival('one');
  noteArrival('another');
  expect(isRoundUsed()).toBe(true);
  await waitForTurn();
});

it('beside requests with several keys large work rests as long as it took, and not while it is alone', async () => {
  let rounds = 0;
  let isOver = false;
  const serveSomebody = () => {
    rounds++;
    work(0.5);
    if (!isOver) setImmediate(serveSomebody);
  };
  setImmediate(serveSomebody);
  const roundsBetweenTurns = async () => {
    await ownTurn(of('large'));
    work(15);
    const before = rounds;
    await ownTurn(of('large'));
    return rounds - before;
  };
  work(2000);
  expect(await roundsBetweenTurns()).toBeLessThan(4);
  noteArrival('first');
  noteArrival('second');
  expect(await roundsBetweenTurns()).toBeGreaterThan(10);
  isOver = true;
});
