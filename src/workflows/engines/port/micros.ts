import type { Clock } from '../../../kit/base/clock.ts';

/** Strictly increasing microseconds, also within a millisecond and when the clock is set back. */
export function createMicros(now: Clock): () => number {
  let last = 0;
  return () => {
    last = Math.max(now() * 1000, last + 1);
    return last;
  };
}
