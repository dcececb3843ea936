import { onTestFinished } from 'vitest';

const TICK_MS = 5;

/**
 * How long this process has been running from now on, in milliseconds. What a busy machine gave to others counts as one
 * tick, so a limit of half a second can be exact.
 */
export function countOwnMs(): () => number {
  let ticks = 0;
  const timer = setInterval(() => ticks++, TICK_MS);
  onTestFinished(() => clearInterval(timer));
  return () => ticks * TICK_MS;
}
