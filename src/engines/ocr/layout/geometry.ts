/** In pixels of the page as it is shown, from its top left corner. */
export type Box = { x0: number; y0: number; x1: number; y1: number };

export const widthOf = ({ x0, x1 }: Box): number => x1 - x0;
export const heightOf = ({ y0, y1 }: Box): number => y1 - y0;
export const areaOf = (box: Box): number => Math.max(0, widthOf(box)) * Math.max(0, heightOf(box));

export function unionOf(boxes: readonly Box[]): Box {
  const union = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (const { x0, y0, x1, y1 } of boxes) {
    union.x0 = Math.min(union.x0, x0);
    union.y0 = Math.min(union.y0, y0);
    union.x1 = Math.max(union.x1, x1);
    union.y1 = Math.max(union.y1, y1);
  }
  return union;
}

export function overlapOf(a: Box, b: Box): number {
  const width = Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);
  const height = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);
  return width > 0 && height > 0 ? width * height : 0;
}

export function holdsCentre(outer: Box, inner: Box): boolean {
  const [x, y] = [(inner.x0 + inner.x1) / 2, (inner.y0 + inner.y1) / 2];
  return x >= outer.x0 && x <= outer.x1 && y >= outer.y0 && y <= outer.y1;
}

/** Of a page may come more values than a call has room for, as `Math.max(...values)` would be one. */
export function largestOf(values: readonly number[]): number {
  return values.reduce((largest, value) => Math.max(largest, value), -Infinity);
}

export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] as number;
}
