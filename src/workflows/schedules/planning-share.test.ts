import { expect, it } from 'vitest';
import { createPlanningShare } from './planning-share.ts';

it('lets an organization plan at once until its burst is used up, then with a tenth of a core, and others at once', () => {
  let nowMs = 0;
  const share = createPlanningShare(() => nowMs);
  const plan = () => share.measure('a', () => (nowMs += 20));
  for (let time = 0; time < 3; time++) plan();
  // 60 ms spent, of which the last 40 ms paid 4 ms back.
  expect(share.waitMs('a')).toBe(60);
  expect(share.waitMs('b')).toBe(0);
  nowMs += 60;
  expect(share.waitMs('a')).toBe(0);
  plan();
  expect(share.waitMs('a')).toBeGreaterThan(100);
});
