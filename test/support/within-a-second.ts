import { expect } from 'vitest';

/**
 * Looks until it holds. Nobody who looked a second after the call or later may have seen it not hold; how long a busy
 * machine takes to answer is another matter.
 */
export async function withinASecond(holds: () => Promise<boolean>): Promise<void> {
  const since = performance.now();
  for (let lookedAt = since; !(await holds()); lookedAt = performance.now())
    expect(lookedAt - since, 'ms after the change, and it did not hold').toBeLessThan(1000);
}
