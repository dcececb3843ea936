import type { Rule } from '../layout/elements.ts';
import type { Box } from '../layout/geometry.ts';
import type { Bitmap } from './bitmap.ts';

const DARK = 140;
/** Shorter strokes may be letters; of the longer side of the page. */
const LENGTH_MIN = 0.035;
const THICKNESS_MAX = 0.006;
const BREAK_MAX = 2;
/** Of a line most has nothing beside it; a row of small letters has. */
const ALONE_MIN = 0.75;
const BESIDE = 2;

/** Long thin strokes, as tables and underlines have them. */
export function findLinesOfInk(grey: Bitmap): Rule[] {
  return [...strokes(grey, true), ...strokes(grey, false)];
}

function strokes({ data, width, height }: Bitmap, isHorizontal: boolean): Rule[] {
  const side = Math.max(width, height);
  const [lengthMin, thicknessMax] = [Math.ceil(side * LENGTH_MIN), Math.ceil(side * THICKNESS_MAX)];
  const [rows, columns, rowStep, columnStep] = isHorizontal ? [height, width, width, 1] : [width, height, 1, width];
  let open: Box[] = [];
  const found: Box[] = [];
  for (let row = 0; row < rows; row++) {
    const still: Box[] = [];
    for (const [from, to] of runs(data, row * rowStep, columnStep, columns, lengthMin)) {
      const touching = open.filter((box) => box.x0 <= to + 2 && box.x1 >= from - 2);
      const joined = { x0: from, y0: row, x1: to, y1: row + 1 };
      for (const box of touching) {
        joined.x0 = Math.min(joined.x0, box.x0);
        joined.x1 = Math.max(joined.x1, box.x1);
        joined.y0 = Math.min(joined.y0, box.y0);
      }
      open = open.filter((box) => !touching.includes(box));
      still.push(joined);
    }
    found.push(...open);
    open = still;
  }
  found.push(...open);
  return found
    .filter((box) => box.y1 - box.y0 <= thicknessMax && isAlone(box))
    .map((box) => ({ isHorizontal, box: isHorizontal ? box : { x0: box.y0, y0: box.x0, x1: box.y1, y1: box.x1 } }));

  function isAlone({ x0, y0, x1, y1 }: Box): boolean {
    const isLight = (row: number, column: number) =>
      row < 0 || row >= rows || (data[row * rowStep + column * columnStep] as number) >= DARK;
    let alone = 0;
    for (let x = x0; x < x1; x++) if (isLight(y0 - BESIDE, x) && isLight(y1 - 1 + BESIDE, x)) alone++;
    return alone >= ALONE_MIN * (x1 - x0);
  }
}

function* runs(
  data: Buffer,
  start: number,
  step: number,
  count: number,
  lengthMin: number,
): Generator<[number, number]> {
  let [from, missing] = [-1, 0];
  for (let i = 0; i <= count; i++) {
    const isDark = i < count && (data[start + i * step] as number) < DARK;
    if (isDark) {
      if (from < 0) from = i;
      missing = 0;
    } else if (from >= 0 && (++missing > BREAK_MAX || i === count)) {
      const to = i - missing + 1;
      if (to - from >= lengthMin) yield [from, to];
      from = -1;
    }
  }
}
