import { expect, test } from 'vitest';
import { createPace, planBatch } from './plan-batch.ts';
import { createSlots, placePrompt } from './sequences.ts';

test('every answering sequence gets its token and readers share the rest evenly', () => {
  const [a, b, c, d] = [{ remaining: 1 }, { remaining: 1000 }, { remaining: 11 }, { remaining: 1000 }];
  const shares = planBatch([a, b, c, d], 100, 512);
  expect(shares.map(({ count, wantsLogits }) => [count, wantsLogits])).toStrictEqual([
    [1, true],
    [10, false],
    [45, false],
    [45, false],
  ]);
});

test('a batch never exceeds its size', () => {
  const items = [{ remaining: 1 }, { remaining: 5000 }, { remaining: 5000 }];
  expect(planBatch(items, 9999, 64).reduce((sum, { count }) => sum + count, 0)).toBe(64);
});

test('slow machines take short slices', () => {
  const pace = createPace();
  for (let round = 0; round < 20; round++) pace.observe(64, 6400);
  expect(pace.sliceTokens(true)).toBe(8);
  for (let round = 0; round < 40; round++) pace.observe(128, 128);
  expect(pace.sliceTokens(true)).toBeGreaterThan(110);
  expect(pace.sliceTokens(false)).toBeGreaterThan(150);
});

test('a prompt goes to the free slot that remembers most of it', () => {
  const slots = createSlots(3);
  slots[0]!.tokens = [1, 2, 9];
  slots[1]!.tokens = [1, 2, 3, 4, 5];
  slots[2]!.tokens = [7];
  expect(placePrompt(slots, [1, 2, 3, 4, 5], undefined)).toMatchObject({
    slot: { sequence: 1 },
    common: 4,
    copyFrom: undefined,
  });
  slots[1]!.isBusy = true;
  expect(placePrompt(slots, [1, 2, 3, 4, 5], undefined)).toMatchObject({ slot: { sequence: 0 }, common: 2 });
  expect(placePrompt(slots, [8, 8], undefined)).toMatchObject({ common: 0 });
});

test('a long beginning in a busy slot is copied, and with no free slot there is no place', () => {
  const slots = createSlots(2);
  const prompt = Array.from({ length: 200 }, (_, index) => index);
  slots[0]!.tokens = prompt.slice(0, 150);
  slots[0]!.isBusy = true;
  expect(placePrompt(slots, prompt, undefined)).toMatchObject({
    slot: { sequence: 1 },
    common: 150,
    copyFrom: { sequence: 0 },
  });
  slots[1]!.isBusy = true;
  expect(placePrompt(slots, prompt, undefined)).toBeUndefined();
});

test('what another workspace left is not used, neither from a free slot nor from a busy one', () => {
  const slots = createSlots(3);
  const prompt = Array.from({ length: 200 }, (_, index) => index);
  for (const [index, slot] of slots.entries())
    Object.assign(slot, { tokens: prompt, workspace: 'a', usedAt: 3 - index });
  expect(placePrompt(slots, prompt, 'b')).toMatchObject({ slot: { sequence: 2 }, common: 0, copyFrom: undefined });
  expect(placePrompt(slots, prompt, undefined)).toMatchObject({ common: 0, copyFrom: undefined });
  expect(placePrompt(slots, prompt, 'a')).toMatchObject({ common: 199 });
  slots[0]!.isBusy = true;
  slots[1]!.workspace = slots[2]!.workspace = 'b';
  expect(placePrompt(slots, prompt, 'c')).toMatchObject({ slot: { sequence: 2 }, common: 0, copyFrom: undefined });
  expect(placePrompt(slots, prompt, 'a')).toMatchObject({ common: 199, copyFrom: { sequence: 0 } });
});

test('a few common words do not take the slot of a long conversation while another was not used for longer', () => {
  const slots = createSlots(2);
  slots[0]!.tokens = Array.from({ length: 500 }, (_, index) => index);
  slots[0]!.usedAt = 1;
  expect(placePrompt(slots, [0, 1, 2, 900, 901], undefined)).toMatchObject({ slot: { sequence: 1 }, common: 0 });
  const next = [...slots[0]!.tokens.slice(0, 300), 900];
  expect(placePrompt(slots, next, undefined)).toMatchObject({ slot: { sequence: 0 }, common: 300 });
});
