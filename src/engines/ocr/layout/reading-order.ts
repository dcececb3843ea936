import { type Box, heightOf, median, unionOf } from './geometry.ts';

type Item = { box: Box };

/** So many pieces on both sides make columns of what a gap parts. */
const COLUMN_ITEMS_MIN = 3;
/** A gap between columns, in heights of a line. */
const GUTTER_MIN = 0.7;
/** Pieces that reach over a gap may be so many of all before it is none. */
const SPANNING_MAX = 0.34;

/** As people read: from the top, a column to its end, what reaches over all columns where it stands. */
export function inReadingOrder<T extends Item>(items: readonly T[]): T[] {
  const gutter = findGutter(items);
  if (gutter === undefined) return rowByRow(items);
  const ordered: T[] = [];
  let band: T[] = [];
  const finish = () => {
    const [left, right] = [
      band.filter(({ box }) => middleOf(box) < gutter),
      band.filter(({ box }) => middleOf(box) >= gutter),
    ];
    for (const side of [left, right]) for (const item of inReadingOrder(side)) ordered.push(item);
    band = [];
  };
  const spanning = new Set(items.filter(({ box }) => box.x0 < gutter && box.x1 > gutter));
  for (const item of [...items].sort((a, b) => a.box.y0 - b.box.y0)) {
    if (!spanning.has(item)) band.push(item);
    else {
      finish();
      ordered.push(item);
    }
  }
  finish();
  return ordered;
}

function rowByRow<T extends Item>(items: readonly T[]): T[] {
  const rows: T[][] = [];
  for (const item of [...items].sort((a, b) => a.box.y0 + a.box.y1 - b.box.y0 - b.box.y1)) {
    const first = rows.at(-1)?.[0];
    const overlap = first ? Math.min(first.box.y1, item.box.y1) - Math.max(first.box.y0, item.box.y0) : 0;
    if (first && overlap > 0.5 * Math.min(heightOf(first.box), heightOf(item.box))) rows.at(-1)?.push(item);
    else rows.push([item]);
  }
  return rows.flatMap((row) => row.sort((a, b) => a.box.x0 - b.box.x0));
}

const middleOf = ({ x0, x1 }: Box) => (x0 + x1) / 2;

/** The gap that the fewest pieces reach over, if there are columns on both sides of it. */
function findGutter(items: readonly Item[]): number | undefined {
  if (items.length < 2 * COLUMN_ITEMS_MIN) return undefined;
  const page = unionOf(items.map(({ box }) => box));
  const line = median(items.map(({ box }) => heightOf(box)));
  const ends = [...new Set(items.map(({ box }) => box.x1))].filter((x) => x < page.x1);
  let best: { x: number; spanning: number } | undefined;
  for (const end of ends) {
    const x = end + (GUTTER_MIN * line) / 2;
    const spanning = items.filter(({ box }) => box.x0 < end + GUTTER_MIN * line && box.x1 > end + 0.01);
    const left = items.filter((item) => item.box.x1 <= end + 0.01);
    const right = items.filter((item) => item.box.x0 >= end + GUTTER_MIN * line);
    if (left.length < COLUMN_ITEMS_MIN || right.length < COLUMN_ITEMS_MIN) continue;
    if (spanning.length > SPANNING_MAX * items.length || !standBeside(left, right)) continue;
    if (!best || spanning.length < best.spanning) best = { x, spanning: spanning.length };
  }
  return best?.x;
}

function standBeside(left: readonly Item[], right: readonly Item[]): boolean {
  const [a, b] = [unionOf(left.map(({ box }) => box)), unionOf(right.map(({ box }) => box))];
  const overlap = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);
  return overlap > 0.4 * Math.min(heightOf(a), heightOf(b));
}
