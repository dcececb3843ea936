import type { PageContent } from './elements.ts';

/** How many letters have which size, in pixels of the page. */
export type Sizes = Map<number, number>;

export function sizesOf({ words }: PageContent): Sizes {
  const sizes: Sizes = new Map();
  for (const { size, text } of words) {
    const rounded = Math.round(size * 2) / 2;
    sizes.set(rounded, (sizes.get(rounded) ?? 0) + text.length);
  }
  return sizes;
}

/** The size that most letters have. */
export function bodySizeOf(all: readonly Sizes[]): number {
  const sums: Sizes = new Map();
  for (const sizes of all) for (const [size, count] of sizes) sums.set(size, (sums.get(size) ?? 0) + count);
  return [...sums].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}
