import { expect, it } from 'vitest';
import { createPlaces } from './index.ts';

it('gives places by key, by organization and in all, and each only once back', () => {
  const places = createPlaces({ total: 4, perOrganization: 3, perKey: 2 });
  const take = (organization: string, key: string) => places.take({ organization, key });
  const first = take('a', '1');
  expect(take('a', '1')).toBeTypeOf('function');
  expect(take('a', '1')).toBeUndefined();
  expect(take('a', '2')).toBeTypeOf('function');
  expect(take('a', '3')).toBeUndefined();
  expect(take('b', '4')).toBeTypeOf('function');
  expect(take('c', '5')).toBeUndefined();
  first?.();
  first?.();
  expect(places.taken()).toBe(3);
  expect(take('c', '5')).toBeTypeOf('function');
  expect(take('c', '5')).toBeUndefined();
});
