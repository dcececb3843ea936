import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRowHeights } from './row-heights.ts';

const heights = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 70 });
const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 400 })), { maxLength: 20 });

it('knows where each row begins and which one is at an offset, whatever changed', () => {
  fc.assert(
    fc.property(heights, changes, fc.double({ min: 0, max: 1, noNaN: true }), (given, made, share) => {
      const rows = createRowHeights(given.length, (index) => given[index] ?? 0);
      for (const [nat, height] of made) {
        const index = nat % given.length;
        expect(rows.set(index, height)).toBe(height - (given[index] ?? 0));
        given[index] = height;
      }
      const total = given.reduce((sum, height) => sum + height, 0);
      expect(rows.total()).toBe(total);
      const starts = given.map((_, index) => given.slice(0, index).reduce((sum, height) => sum + height, 0));
      expect(given.map((_, index) => rows.startOf(index))).toEqual(starts);
      expect(given.map((_, index) => rows.heightOf(index))).toEqual(given);
      const offset = share * (total - 1);
      expect(rows.indexAt(offset)).toBe(starts.findLastIndex((start) => start <= offset));
    }),
  );
});

it('an offset beyond the ends is the first or the last row', () => {
  const rows = createRowHeights(3, () => 10);
  expect([rows.indexAt(-5), rows.indexAt(30), rows.indexAt(900)]).toEqual([0, 2, 2]);
  expect([rows.startOf(3), rows.set(3, 50), rows.total()]).toEqual([30, 0, 30]);
  const none = createRowHeights(0, () => 10);
  expect([none.total(), none.indexAt(5), none.startOf(0)]).toEqual([0, 0, 0]);
});
