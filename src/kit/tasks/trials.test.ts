import { expect, it, vi } from 'vitest';
import type { ClaimedTask } from './index.ts';
import { createTrials } from './trials.ts';

const task = (id: string, deaths: number) => ({ id, deaths }) as ClaimedTask;

it('a trial that takes too long keeps others waiting no longer', async () => {
  const trials = createTrials(async () => undefined, 1);
  const resumed = Promise.withResolvers<void>();
  trials.follow({ resume: resumed.resolve, running: () => [] });
  await trials.reserve(2, 5)?.begin([task('long', 2)]);
  expect(trials.reserve(0, 5)).toBeUndefined();
  await resumed.promise;
  expect(trials.reserve(0, 5)?.places).toBe(5);
});

it('a reservation of which nothing came is given back', async () => {
  const resume = vi.fn();
  const trials = createTrials(async () => undefined);
  trials.follow({ resume, running: () => [] });
  await trials.reserve(2, 1)?.begin([]);
  expect(resume).toHaveBeenCalledOnce();
  expect(trials.reserve(1, 100)?.places).toBe(16);
  expect(trials.reserve(1, 100)).toBeUndefined();
  expect(trials.reserve(0, 100)?.places).toBe(100);
});

it('what begins during a trial is marked, and unmarked after it', async () => {
  const marks: unknown[] = [];
  const trials = createTrials(async (ids, isBeside) => void marks.push([...ids, isBeside]));
  trials.follow({ resume: () => undefined, running: () => ['live'] });
  const claiming = trials.reserve(0, 1);
  await trials.reserve(2, 1)?.begin([task('poison', 2)]);
  await claiming?.begin([task('claimed before', 0)]);
  trials.admit(task('asked for by a client', 0));
  trials.ended(task('poison', 2));
  expect(marks).toEqual([
    ['live', true],
    ['claimed before', true],
    ['asked for by a client', true],
    ['live', false],
  ]);
});
