import { expect, it } from 'vitest';
import { drawProgress } from './draw-progress.ts';

it('a transfer has a bar, the bytes, the rate and the time left', () => {
  const progress = { file: 'a.gguf', phase: 'transferring', doneBytes: 49e6, totalBytes: 98e6 } as const;
  expect(drawProgress('downloading tiny', { ...progress, bytesPerSecond: 5e6, secondsLeft: 9.8 })).toBe(
    `downloading tiny [${'#'.repeat(12)}${'-'.repeat(12)}] 49 of 98 MB at 5.0 MB/s, 10 s left`,
  );
});

it('what has no known end, and what is no transfer, has words only', () => {
  const progress = { file: 'a.gguf', doneBytes: 49e6 };
  expect(drawProgress('x', { ...progress, phase: 'transferring' })).toBe('x: 49 MB');
  expect(drawProgress('x', { ...progress, phase: 'checking', totalBytes: 49e6 })).toBe('x: checking a.gguf');
});
