import { areaOf, type Box, overlapOf, unionOf } from '../layout/geometry.ts';
import type { Bitmap } from './bitmap.ts';

/** Pixels of a side of a cell. */
const CELL = 16;
const INK = 205;
/** Letters leave most of a cell white. */
const FILLED = 0.6;
const CELLS_MIN = 5;
/** A page of which nearly all is dark is no picture of something but a dark page. */
const PAGE_MAX = 0.7;

/** Where so much ink is that it cannot be text. */
export function findPictures(grey: Bitmap): Box[] {
  const [columns, rows] = [Math.floor(grey.width / CELL), Math.floor(grey.height / CELL)];
  const filled = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      filled[row * columns + column] = isFilled(grey, column, row) ? 1 : 0;
  const boxes: Box[] = [];
  for (let at = 0; at < filled.length; at++) if (filled[at]) boxes.push(...componentAt(filled, columns, at));
  const page = grey.width * grey.height;
  return joinOverlapping(
    boxes.map(({ x0, y0, x1, y1 }) => ({ x0: x0 * CELL, y0: y0 * CELL, x1: x1 * CELL, y1: y1 * CELL })),
  ).filter((box) => areaOf(box) < PAGE_MAX * page);
}

function isFilled({ data, width }: Bitmap, column: number, row: number): boolean {
  let inked = 0;
  for (let y = 0; y < CELL; y += 2) {
    const start = (row * CELL + y) * width + column * CELL;
    for (let x = 0; x < CELL; x += 2) if ((data[start + x] as number) < INK) inked++;
  }
  return inked > FILLED * (CELL / 2) ** 2;
}

/** Takes the cells that hang together out of the map. */
function componentAt(filled: Uint8Array, columns: number, start: number): Box[] {
  const queue = [start];
  filled[start] = 0;
  let box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (let i = 0; i < queue.length; i++) {
    const at = queue[i] as number;
    const [x, y] = [at % columns, Math.floor(at / columns)];
    box = unionOf([box, { x0: x, y0: y, x1: x + 1, y1: y + 1 }]);
    for (const next of [x > 0 ? at - 1 : -1, x < columns - 1 ? at + 1 : -1, at - columns, at + columns]) {
      if (next < 0 || !filled[next]) continue;
      filled[next] = 0;
      queue.push(next);
    }
  }
  const isLarge = box.x1 - box.x0 >= CELLS_MIN && box.y1 - box.y0 >= CELLS_MIN && queue.length > 0.3 * areaOf(box);
  return isLarge ? [box] : [];
}

function joinOverlapping(boxes: Box[]): Box[] {
  const joined: Box[] = [];
  for (const box of boxes) {
    const at = joined.findIndex((other) => overlapOf(other, box) > 0);
    if (at < 0) joined.push(box);
    else joined[at] = unionOf([joined[at] as Box, box]);
  }
  return joined;
}
