import type { Clock } from '../../kit/base/clock.ts';

/** Workers say every 10 s that they are there; five of those may get lost. */
const ALIVE_MS = 50_000;

/** A worker that was heard of after this time is active, and so is what it serves. */
export function aliveSince(now: Clock): number {
  return now() - ALIVE_MS;
}
