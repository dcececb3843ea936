import { expect } from 'vitest';

/**
 * Waits until it holds. No check that started a second or more after the call may fail; the duration of a check on a
 * busy machine does not count.
 */
export async function withinASecond(holds: () => Promise<boolean>): Promise<void> {
  const since = performance.now();
  for (let lookedAt = since; !(await holds()); lookedAt = performance.now())
    expect(lookedAt - since, 'ms after the change, and it did not hold').toBeLessThan(1000);
}
