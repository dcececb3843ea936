import { expect } from 'vitest';

/** Waits until it holds, for a second at most. */
export const withinASecond = (holds: () => Promise<boolean>): Promise<void> => within(1000, holds);

/**
 * Waits until it holds. No check that started this long after the call may fail; the duration of a check on a busy
 * machine does not count.
 */
export async function within(limitMs: number, holds: () => Promise<boolean>): Promise<void> {
  const since = performance.now();
  for (let lookedAt = since; !(await holds()); lookedAt = performance.now())
    expect(lookedAt - since, 'ms after the change, and it did not hold').toBeLessThan(limitMs);
}
