import type { Cell, Rule, Table, Word } from './elements.ts';
import { findLines } from './find-lines.ts';
import { type Box, heightOf, holdsCentre, unionOf, widthOf } from './geometry.ts';

/** Rules that miss each other by so much still meet, in pixels. */
const SLACK = 6;

/** Grids of rules with words in them. */
export function findRuledTables(words: readonly Word[], rules: readonly Rule[]): Table[] {
  return gridsOf(rules)
    .map((grid) => fillGrid(grid, words))
    .filter((table) => table !== undefined);
}

/** Rules that touch, directly or through others. */
function gridsOf(rules: readonly Rule[]): Rule[][] {
  const left = new Set(rules);
  const grids: Rule[][] = [];
  for (const first of rules) {
    if (!left.delete(first)) continue;
    const grid = [first];
    for (let i = 0; i < grid.length; i++) {
      for (const other of left) {
        if (!touches((grid[i] as Rule).box, other.box)) continue;
        left.delete(other);
        grid.push(other);
      }
    }
    grids.push(grid);
  }
  return grids;
}

function touches(a: Box, b: Box): boolean {
  return a.x0 <= b.x1 + SLACK && b.x0 <= a.x1 + SLACK && a.y0 <= b.y1 + SLACK && b.y0 <= a.y1 + SLACK;
}

function fillGrid(grid: Rule[], words: readonly Word[]): Table | undefined {
  const verticals = grid.filter(({ isHorizontal }) => !isHorizontal);
  const xs = clusters(verticals.map(({ box }) => (box.x0 + box.x1) / 2));
  const ys = clusters(grid.filter(({ isHorizontal }) => isHorizontal).map(({ box }) => (box.y0 + box.y1) / 2));
  if (xs.length < 3 || ys.length < 3) return undefined;
  // Where rules reach beyond the outermost cells, what they reach past is not in the table.
  const [left, right, top, bottom] = [xs[0], xs.at(-1), ys[0], ys.at(-1)] as [number, number, number, number];
  const all = unionOf(grid.map((rule) => rule.box));
  const cells = { x0: left, y0: top, x1: right, y1: bottom };
  const isWhole = words.every((word) => holdsCentre(cells, word.box) || !holdsCentre(all, word.box));
  const box = isWhole ? all : cells;
  const inside = words.filter((word) => holdsCentre(box, word.box));
  if (inside.length === 0) return undefined;
  const rows = pairs(ys).map(([y0, y1]) => {
    const row: (Cell | undefined)[] = [];
    let start: { x0: number; at: number } | undefined;
    for (const [at, [x0, x1]] of pairs(xs).entries()) {
      start ??= { x0, at };
      // Without a rule between two cells they are one.
      if (at < xs.length - 2 && !isRuled(verticals, x1, (y0 + y1) / 2)) {
        row.push(undefined);
        continue;
      }
      const cell = { x0: start.x0, y0, x1, y1 };
      const lines = findLines(inside.filter((word) => holdsCentre(cell, word.box)));
      row[start.at] = { lines, columns: at - start.at + 1 };
      for (let covered = start.at + 1; covered <= at; covered++) row[covered] = undefined;
      start = undefined;
    }
    return row;
  });
  return { box, rows };
}

function isRuled(verticals: Rule[], x: number, y: number): boolean {
  return verticals.some(
    ({ box }) => Math.abs((box.x0 + box.x1) / 2 - x) <= SLACK && box.y0 - SLACK <= y && box.y1 + SLACK >= y,
  );
}

function clusters(values: number[]): number[] {
  const groups: number[][] = [];
  for (const value of values.sort((a, b) => a - b)) {
    const last = groups.at(-1);
    if (last && value - (last.at(-1) as number) <= SLACK) last.push(value);
    else groups.push([value]);
  }
  return groups.map((group) => group.reduce((sum, value) => sum + value, 0) / group.length);
}

function pairs(values: number[]): [number, number][] {
  return values.slice(1).map((value, i) => [values[i] as number, value]);
}

/** Long and thin: what is drawn to part things from each other. */
export function toRule(box: Box, lengthMin: number, thicknessMax: number): Rule | undefined {
  const [width, height] = [widthOf(box), heightOf(box)];
  if (width >= lengthMin && height <= thicknessMax) return { isHorizontal: true, box };
  if (height >= lengthMin && width <= thicknessMax) return { isHorizontal: false, box };
  return undefined;
}
