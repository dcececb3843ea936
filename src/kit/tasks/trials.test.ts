import { expect, it } from 'vitest';
import type { ClaimedTask } from './index.ts';
import { createTrials, type TrialWorker } from './trials.ts';

const task = (id: string, deaths: number) => ({ id, deaths }) as ClaimedTask;

function watched(): TrialWorker & { resumed: number; marks: unknown[] } {
  const worker = {
    resumed: 0,
    marks: [] as unknown[],
    resume: () => void worker.resumed++,
    markRunning: async (isBesideTrial: boolean, trialId: string) => void worker.marks.push([isBesideTrial, trialId]),
  };
  return worker;
}

function open(trialMs?: number) {
  const trials = createTrials(trialMs);
  const [first, second] = [watched(), watched()];
  for (const worker of [first, second]) trials.follow(worker);
  return { trials, first, second };
}

it('a trial that takes too long keeps others waiting no longer, but no second trial begins beside it', async () => {
  const { trials, first, second } = open(1);
  await trials.reserve(first, 2, 5)?.begin([task('slow', 2)]);
  expect(trials.reserve(second, 0, 5)).toBeUndefined();
  await expect.poll(() => second.resumed).toBe(1);
  expect(trials.reserve(second, 0, 5)?.places).toBe(5);
  expect(trials.reserve(second, 2, 1)).toBeUndefined();
  trials.ended(task('slow', 2));
  expect(second.resumed).toBe(2);
  expect(trials.reserve(second, 2, 1)?.places).toBe(1);
});

it('a worker that got a place and claimed nothing is not resumed by itself, only those that were refused', async () => {
  const { trials, first, second } = open();
  const reservation = trials.reserve(first, 2, 1);
  expect(trials.reserve(second, 0, 1)).toBeUndefined();
  await reservation?.begin([]);
  expect([first.resumed, second.resumed]).toEqual([0, 1]);
});

it('places for tasks with one death are few, and given back where nothing was claimed', async () => {
  const { trials, first, second } = open();
  const reservation = trials.reserve(first, 1, 100);
  expect(reservation?.places).toBe(16);
  expect(trials.reserve(second, 1, 1)).toBeUndefined();
  expect(trials.reserve(second, 0, 100)?.places).toBe(100);
  await reservation?.begin([]);
  expect(second.resumed).toBe(1);
  expect(trials.reserve(second, 1, 1)?.places).toBe(1);
});

it('what runs beside a trial is marked, and unmarked after it; beside the caution of a start nothing is', async () => {
  const { trials, first } = open();
  await trials.reserve(first, 2, 1)?.begin([task('poison', 2)]);
  expect(trials.onTrial()).toBe('poison');
  trials.ended(task('poison', 2));
  expect(first.marks).toEqual([
    [true, 'poison'],
    [false, 'poison'],
  ]);
  trials.beginCautiously();
  await trials.reserve(first, 0, 5)?.begin([task('stored', 0)]);
  expect([trials.onTrial(), trials.reserve(first, 0, 1)]).toEqual([undefined, undefined]);
  trials.ended(task('stored', 0));
  expect(first.marks).toHaveLength(2);
  expect(trials.reserve(first, 0, 5)?.places).toBe(5);
});
