import { expect, test } from 'vitest';
import { createShares } from './tenant-shares.ts';

test('one organization or key never fills the queue, and its places are free again when its requests end', () => {
  const shares = createShares("the model 'small'", 16);
  const take = (organization: string, key: string, places = 1) => shares.take({ organization, key }, places, 3);
  const taken = Array.from({ length: 9 }, () => take('A', 'a'));
  expect(() => take('A', 'a')).toThrow(expect.objectContaining({ status: 429, headers: { 'retry-after': '3' } }));
  taken.push(take('A', 'b', 3));
  expect(() => take('A', 'c')).toThrow('12 answers for this organization');
  taken.push(take('B', 'd'));
  for (const release of taken) release();
  expect(take('A', 'a', 64)).toBeTypeOf('function');
});
