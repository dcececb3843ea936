import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';

const LOOK_AGAIN_MS = 5;

/** Waits until it holds, for a second at most. */
export const withinASecond = (holds: () => Promise<boolean>): Promise<void> => within(1000, holds);

/**
 * Waits until it holds. No check that started this long after the call may fail; the duration of a check on a busy
 * machine does not count.
 */
export async function within(limitMs: number, holds: () => Promise<boolean>): Promise<void> {
  const since = performance.now();
  for (let lookedAt = since; !(await holds()); lookedAt = performance.now()) {
    expect(lookedAt - since, 'ms after the change, and it did not hold').toBeLessThan(limitMs);
    // Queries on SQLite are synchronous: without a pause nothing else in this process would run.
    await pause(LOOK_AGAIN_MS);
  }
}
