/** Heights of many rows. */
type RowHeights = {
  total(): number;
  heightOf(index: number): number;
  /** Where a row begins. */
  startOf(index: number): number;
  /** The row at an offset; the first or last one beyond the ends. */
  indexAt(offset: number): number;
  /** Returns by how much the row grew. */
  set(index: number, height: number): number;
};

/** A Fenwick tree: to change a height, to add up those before a row and to find a row takes log(n) steps. */
export function createRowHeights(count: number, heightAt: (index: number) => number): RowHeights {
  const heights = new Float64Array(count);
  const sums = new Float64Array(count + 1);
  let total = 0;
  for (let at = 1; at <= count; at++) {
    const height = heightAt(at - 1);
    heights[at - 1] = height;
    total += height;
    sums[at] = (sums[at] ?? 0) + height;
    const parent = at + (at & -at);
    if (parent <= count) sums[parent] = (sums[parent] ?? 0) + (sums[at] ?? 0);
  }
  const top = count === 0 ? 0 : 2 ** Math.floor(Math.log2(count));
  return {
    total: () => total,
    heightOf: (index) => heights[index] ?? 0,
    startOf(index) {
      let sum = 0;
      for (let at = Math.min(index, count); at > 0; at -= at & -at) sum += sums[at] ?? 0;
      return sum;
    },
    indexAt(offset) {
      let before = 0;
      let left = offset;
      for (let step = top; step > 0; step >>= 1) {
        const sum = sums[before + step];
        if (before + step > count || sum === undefined || sum > left) continue;
        before += step;
        left -= sum;
      }
      return Math.max(0, Math.min(before, count - 1));
    },
    set(index, height) {
      const grown = height - (heights[index] ?? 0);
      if (grown === 0 || index >= count) return 0;
      heights[index] = height;
      total += grown;
      for (let at = index + 1; at <= count; at += at & -at) sums[at] = (sums[at] ?? 0) + grown;
      return grown;
    },
  };
}
