import { expect, it } from 'vitest';
import { createListingCache, type Listing } from './cache-listings.ts';

function createCache() {
  const clock = { now: 0 };
  const cache = createListingCache(() => clock.now);
  const asked: string[] = [];
  const recall = (key: string, listing: Partial<Listing> | Error = {}) =>
    cache.get(key, async () => {
      asked.push(key);
      if (listing instanceof Error) throw listing;
      return { tools: [], leftOut: [], digests: new Map(), era: { kind: 'legacy' }, ttlMs: 1000, ...listing };
    });
  return { clock, cache, asked, recall };
}

it('remembers for as long as the list holds, and not at all where it does not', async () => {
  const { clock, asked, recall } = createCache();
  await recall('a');
  clock.now = 999;
  await recall('a');
  expect(asked).toEqual(['a']);
  clock.now = 1000;
  await recall('a', { ttlMs: 0 });
  await recall('a');
  expect(asked).toEqual(['a', 'a', 'a']);
});

it('asks once for all who wait, and again after it was told to forget', async () => {
  const { cache, asked, recall } = createCache();
  await Promise.all([recall('a'), recall('a'), recall('b')]);
  cache.drop('a');
  await recall('a');
  expect(asked).toEqual(['a', 'b', 'a']);
});

it('remembers a failure for five seconds', async () => {
  const { clock, asked, recall } = createCache();
  await expect(recall('a', new Error('away'))).rejects.toThrow('away');
  clock.now = 4999;
  await expect(recall('a')).rejects.toThrow('away');
  clock.now = 5000;
  await expect(recall('a')).resolves.toMatchObject({ tools: [] });
  expect(asked).toHaveLength(2);
});

it('forgets the oldest of more than 256 lists', async () => {
  const { asked, recall } = createCache();
  for (let n = 0; n <= 256; n++) await recall(String(n));
  await recall('256');
  await recall('1');
  expect(asked).toHaveLength(257);
  await recall('0');
  expect(asked).toHaveLength(258);
});

it('forgets the oldest when all lists together are too long', async () => {
  const { asked, recall } = createCache();
  const tools = [{ name: 'a', description: 'x'.repeat(3 * 1024 * 1024), inputSchema: { type: 'object' as const } }];
  for (let n = 0; n < 6; n++) await recall(String(n), { tools });
  await recall('5');
  expect(asked).toHaveLength(6);
  await recall('0');
  expect(asked).toHaveLength(7);
});
