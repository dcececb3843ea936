import { expect, it } from 'vitest';
import { createMeter, type Progress } from './progress.ts';

it('reports speed and time left from the last seconds, at most five times a second', () => {
  const reports: Progress[] = [];
  let nowMs = 0;
  const report = createMeter(
    { file: 'x', source: 'pip' },
    (progress) => reports.push(progress),
    () => nowMs,
  );
  for (; nowMs <= 10_000; nowMs += 50)
    report({ doneBytes: nowMs < 5000 ? nowMs : 5000 + (nowMs - 5000) * 3, totalBytes: 30_000 });
  expect(reports.length).toBeLessThanOrEqual(51);
  expect(reports[0]).toEqual({ file: 'x', source: 'pip', phase: 'transferring', doneBytes: 0, totalBytes: 30_000 });
  expect(reports.at(-1)).toMatchObject({ doneBytes: 20_000, bytesPerSecond: 3000 });
  expect(reports.at(-1)?.secondsLeft).toBeCloseTo(10_000 / 3000);
});

it('always reports the end', () => {
  const reports: Progress[] = [];
  const report = createMeter(
    { file: 'x', source: 'url' },
    (progress) => reports.push(progress),
    () => 0,
  );
  report({ doneBytes: 0, totalBytes: 9 });
  report({ doneBytes: 5, totalBytes: 9 });
  report({ doneBytes: 9, totalBytes: 9 });
  expect(reports.map(({ doneBytes }) => doneBytes)).toEqual([0, 9]);
});

it('guesses no time for a source that has hardly begun', () => {
  const reports: Progress[] = [];
  let nowMs = 0;
  const report = createMeter(
    { file: 'x', source: 'pip' },
    (progress) => reports.push(progress),
    () => nowMs,
  );
  report({ doneBytes: 0, totalBytes: 52_000_000 });
  nowMs = 4000;
  report({ doneBytes: 160, totalBytes: 52_000_000 });
  expect(reports.at(-1)?.secondsLeft).toBeUndefined();
});
