import type { Box } from '../layout/geometry.ts';
import type { Bitmap } from './bitmap.ts';

/** Rows of letters are told apart on a page of this size. */
const SIDE = 1200;
const LETTERS_MAX = 15_000;
const ANGLE_MAX = 8;
const COARSE = 0.5;
const FINE = 0.1;
/** Lines of text must show so much more clearly across than down before a page counts as lying on its side. */
const SIDEWAYS = 1.25;
/** Less than this does not disturb the recognizer. */
const ANGLE_MIN = 0.25;

type Angle = { isSideways: boolean; degrees: number };

/**
 * By how much the lines of text are off the horizontal, clockwise, and whether the page lies on its side. Seen from the right
 * angle, the feet and heads of letters gather in rows with nothing between them.
 */
export function findAngle({ width, height }: Pick<Bitmap, 'width' | 'height'>, letters: readonly Box[]): Angle {
  const scale = Math.min(1, SIDE / Math.max(width, height));
  const every = Math.ceil(letters.length / LETTERS_MAX);
  const sample = letters.filter((_, i) => i % every === 0);
  const pointsOf = (ends: (box: Box) => Point[]) => sample.flatMap(ends).map(([x, y]): Point => [x * scale, y * scale]);
  const across = bestAngle(
    pointsOf(({ x0, y0, x1, y1 }) => [y0, y1].map((y): Point => [(x0 + x1) / 2, y])),
    Math.ceil(height * scale),
  );
  const down = bestAngle(
    pointsOf(({ x0, y0, x1, y1 }) => [x0, x1].map((x): Point => [(y0 + y1) / 2, x])),
    Math.ceil(width * scale),
  );
  const isSideways = down.score > SIDEWAYS * across.score;
  const degrees = isSideways ? -down.degrees : across.degrees;
  return { isSideways, degrees: Math.abs(degrees) < ANGLE_MIN ? 0 : degrees };
}

type Point = [x: number, y: number];

function bestAngle(points: Point[], height: number): { degrees: number; score: number } {
  let best = { degrees: 0, score: scoreOf(points, height, 0) };
  const tryAngle = (degrees: number) => {
    const score = scoreOf(points, height, degrees);
    if (score > best.score) best = { degrees, score };
  };
  for (let degrees = -ANGLE_MAX; degrees <= ANGLE_MAX; degrees += COARSE) tryAngle(degrees);
  const coarse = best.degrees;
  for (let step = -4; step <= 4; step++) tryAngle(coarse + step * FINE);
  return best;
}

function scoreOf(points: Point[], height: number, degrees: number): number {
  const slope = Math.tan((degrees * Math.PI) / 180);
  const rows = new Float64Array(3 * height);
  for (const [x, y] of points) {
    const row = Math.round(y - x * slope) + height;
    if (row >= 0 && row < rows.length) rows[row] = (rows[row] as number) + 1;
  }
  let score = 0;
  for (const count of rows) score += count * count;
  return score;
}
