import type { Box } from '../layout/geometry.ts';

/** x' = a·x + c·y + e, y' = b·x + d·y + f. */
export type Affine = [a: number, b: number, c: number, d: number, e: number, f: number];

export function apply([a, b, c, d, e, f]: Affine, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** First `inner`, then `outer`. */
export function after(outer: Affine, inner: Affine): Affine {
  const [a, b, c, d, e, f] = inner;
  const [e2, f2] = apply(outer, e, f);
  const [A, B, C, D] = outer;
  return [A * a + C * b, B * a + D * b, A * c + C * d, B * c + D * d, e2, f2];
}

/** The upright box around a box that was turned. */
export function applyToBox(affine: Affine, left: number, bottom: number, right: number, top: number): Box {
  const corners = [
    apply(affine, left, bottom),
    apply(affine, right, top),
    apply(affine, left, top),
    apply(affine, right, bottom),
  ];
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}
