import { expect, it } from 'vitest';
import { toPage } from './list-page.ts';

const items = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `i${n}` }));

it('shows what is asked for, and that there are more', () => {
  expect(toPage(items(11), 10)).toMatchObject({ first_id: 'i0', last_id: 'i9', has_more: true });
  expect(toPage(items(11), 10).data).toHaveLength(10);
});

it('tells that the last page is the last', () => {
  expect(toPage(items(10), 10)).toMatchObject({ last_id: 'i9', has_more: false });
  expect(toPage([], 10)).toEqual({ object: 'list', data: [], first_id: null, last_id: null, has_more: false });
});
