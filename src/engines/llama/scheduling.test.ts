import { expect, test } from 'vitest';
import { createPace, planBatch } from './plan-batch.ts';
import { createSlots, placePrompt } from './sequences.ts';

const ours = { organization: 'ours', key: 'k' };
const theirs = { organization: 'theirs', key: 'k' };
const item = (remaining: number, tenant = ours) => ({ remaining, tenant });
const slice = (all: number, beside = all) => ({ all, beside });
const counts = (shares: { count: number; wantsLogits: boolean }[]) =>
  shares.map(({ count, wantsLogits }) => (wantsLogits ? `answer ${count}` : count));

test('every answering sequence gets its token and readers share the rest evenly', () => {
  expect(counts(planBatch([item(1), item(1000), item(11), item(1000)], slice(100), 512))).toStrictEqual([
    'answer 1',
    10,
    45,
    45,
  ]);
});

test('a batch never exceeds its size', () => {
  const shares = planBatch([item(1), item(5000), item(5000)], slice(9999), 64);
  expect(shares.reduce((sum, { count }) => sum + count, 0)).toBe(64);
});

test('organizations share what is read of prompts, however many of them one has', () => {
  const shares = planBatch([item(1000), item(1000), item(1000), item(1000, theirs)], slice(60), 512);
  expect(counts(shares)).toStrictEqual([10, 10, 10, 30]);
});

test('long prompts are read in small pieces while another organization is answered, short ones at once', () => {
  const long = [item(1000), item(1000), item(1, theirs)];
  expect(counts(planBatch(long, slice(100, 8), 512))).toStrictEqual(['answer 1', 4, 4]);
  expect(counts(planBatch([...long, item(25, theirs)], slice(100, 8), 512))).toStrictEqual(['answer 1', 4, 4, 24]);
  expect(counts(planBatch([item(25), item(1, theirs)], slice(100, 8), 512))).toStrictEqual(['answer 1', 24]);
  expect(counts(planBatch([item(1000), item(1)], slice(100, 8), 512))).toStrictEqual(['answer 1', 100]);
});

test('slow machines take short slices, and shorter ones beside the answers of others', () => {
  const pace = createPace();
  for (let round = 0; round < 20; round++) pace.observe(64, 6400);
  expect(pace.slice(true)).toStrictEqual({ all: 8, beside: 8 });
  for (let round = 0; round < 40; round++) pace.observe(128, 128);
  expect(pace.slice(true).all).toBeGreaterThan(110);
  expect(pace.slice(true).beside).toBeGreaterThan(55);
  expect(pace.slice(true).beside).toBeLessThanOrEqual(60);
  expect(pace.slice(false).all).toBeGreaterThan(150);
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
