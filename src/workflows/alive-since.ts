import type { Clock } from '../kit/base/clock.ts';

/** Workers send a heartbeat every 10 s; five of them may get lost. */
const ALIVE_MS = 50_000;

/** Workers with a heartbeat after this time are active. */
export function aliveSince(now: Clock): number {
  return now() - ALIVE_MS;
}
