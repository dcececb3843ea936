import type { Box } from '../layout/geometry.ts';
import type { Bitmap } from './bitmap.ts';

const DARK = 140;
const HEIGHT_MIN = 4;
/** Of the longer side of the page. */
const HEIGHT_MAX = 0.2;
/** Letters that touch make one piece. */
const WIDTH_MAX = 12;
const WIDTH_MIN = 0.12;

/** Pieces of ink that hang together and have the form of letters, or of letters that touch. */
export function findLetters({ data, width, height }: Bitmap): Box[] {
  const parents: number[] = [];
  const boxes: Box[] = [];
  const rootOf = (label: number) => {
    let root = label;
    while (parents[root] !== root) root = parents[root] as number;
    while (parents[label] !== root) {
      const next = parents[label] as number;
      parents[label] = root;
      label = next;
    }
    return root;
  };
  // Runs of ink of the row above: from, to, label.
  let above: number[] = [];
  for (let y = 0; y < height; y++) {
    const runs: number[] = [];
    let first = 0;
    for (let x = 0, at = y * width; x < width; x++, at++) {
      if ((data[at] as number) >= DARK) continue;
      const from = x;
      while (x < width && (data[at] as number) < DARK) {
        x++;
        at++;
      }
      let label = -1;
      while (first < above.length && (above[first + 1] as number) < from) first += 3;
      for (let i = first; i < above.length && (above[i] as number) <= x; i += 3) {
        const other = rootOf(above[i + 2] as number);
        if (label < 0) label = other;
        else if (other !== label) {
          parents[other] = label;
          grow(boxes[label] as Box, boxes[other] as Box);
        }
      }
      if (label < 0) {
        label = parents.length;
        parents.push(label);
        boxes.push({ x0: from, y0: y, x1: x, y1: y + 1 });
      } else grow(boxes[label] as Box, { x0: from, y0: y, x1: x, y1: y + 1 });
      runs.push(from, x, label);
    }
    above = runs;
  }
  const heightMax = HEIGHT_MAX * Math.max(width, height);
  return boxes.filter(({ x0, y0, x1, y1 }, label) => {
    const [wide, high] = [x1 - x0, y1 - y0];
    if (parents[label] !== label || high < HEIGHT_MIN || high > heightMax) return false;
    return wide <= WIDTH_MAX * high && wide >= WIDTH_MIN * high;
  });
}

function grow(box: Box, { x0, y0, x1, y1 }: Box): void {
  box.x0 = Math.min(box.x0, x0);
  box.y0 = Math.min(box.y0, y0);
  box.x1 = Math.max(box.x1, x1);
  box.y1 = Math.max(box.y1, y1);
}
