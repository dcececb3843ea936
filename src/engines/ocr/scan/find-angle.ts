import { type Bitmap, toBitmap, toSharp } from './bitmap.ts';

/** Enough to see lines of text, and quick. */
const SAMPLE_WIDTH = 900;
const POINTS_MAX = 30_000;
const ANGLE_MAX = 8;
const COARSE = 0.5;
const FINE = 0.1;
/** Lines of text must show so much more clearly across than down before a page counts as lying on its side. */
const SIDEWAYS = 1.25;
/** Less than this does not disturb the recognizer. */
const ANGLE_MIN = 0.25;

export type Angle = { isSideways: boolean; degrees: number };

/**
 * By how much the lines of text are off the horizontal, clockwise, and whether the page lies on its side. Seen from the right
 * angle, ink gathers in rows with empty ones between them.
 */
export async function findAngle(even: Bitmap): Promise<Angle> {
  const small = await toBitmap(
    toSharp(even)
      .resize({ width: SAMPLE_WIDTH, height: SAMPLE_WIDTH, fit: 'inside', withoutEnlargement: true })
      .toColourspace('b-w'),
  );
  const points = inkOf(small);
  const across = bestAngle(points, small.height);
  const down = bestAngle(
    points.map(([x, y]) => [y, x]),
    small.width,
  );
  const isSideways = down.score > SIDEWAYS * across.score;
  const degrees = isSideways ? -down.degrees : across.degrees;
  return { isSideways, degrees: Math.abs(degrees) < ANGLE_MIN ? 0 : degrees };
}

type Point = [x: number, y: number];

/** Dark pixels with a light one above: the upper edges of letters, and hardly any of a picture. */
function inkOf({ data, width, height }: Bitmap): Point[] {
  const points: Point[] = [];
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      if ((data[at] as number) < 128 && ((data[at - width] as number) > 160 || (data[at - 1] as number) > 160))
        points.push([x, y]);
    }
  const step = Math.ceil(points.length / POINTS_MAX);
  return step > 1 ? points.filter((_, i) => i % step === 0) : points;
}

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
