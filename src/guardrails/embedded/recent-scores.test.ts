import { expect, it } from 'vitest';
import { RecentScores } from './recent-scores.ts';

it('remembers what was used of late and forgets what was not', () => {
  const recent = new RecentScores<number>();
  for (let index = 0; index < 5000; index++) recent.set(`text ${index}`, true, index);
  expect(recent.get('text 0', true)).toBe(0);
  recent.set('one more', true, 1);
  expect(recent.get('text 0', true)).toBe(0);
  expect(recent.get('text 1', true)).toBeUndefined();
  expect(recent.get('one more', true)).toBe(1);
  expect(recent.get('one more', false)).toBeUndefined();
});
