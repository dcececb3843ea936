import type { Line, Word } from './elements.ts';
import { heightOf, unionOf } from './geometry.ts';

/** Wider gaps part what reads on from what only stands beside it; in letters' sizes. */
const GAP_MAX = 1.15;

/** Words that stand on one row and read on. A row may hold several lines: columns, or cells of a table. */
export function findLines(words: readonly Word[]): Line[] {
  return findRows(words).flatMap(splitRow);
}

function findRows(words: readonly Word[]): Word[][] {
  const rows: { words: Word[]; middle: number; height: number }[] = [];
  for (const word of [...words].sort((a, b) => a.box.y0 + a.box.y1 - b.box.y0 - b.box.y1)) {
    const middle = (word.box.y0 + word.box.y1) / 2;
    const height = heightOf(word.box);
    // The rows that came last are the only ones that can be as low as this word.
    const row = rows.slice(-6).find((candidate) => isOnRow(candidate, middle, height));
    if (!row) rows.push({ words: [word], middle, height });
    else {
      row.words.push(word);
      const count = row.words.length;
      row.middle += (middle - row.middle) / count;
      row.height = Math.max(row.height, Math.min(height, row.height * 1.5));
    }
  }
  return rows.map((row) => row.words);
}

function isOnRow(row: { middle: number; height: number }, middle: number, height: number): boolean {
  return (
    Math.abs(middle - row.middle) < Math.max(Math.min(row.height, height) * 0.5, Math.max(row.height, height) * 0.35)
  );
}

function splitRow(row: Word[]): Line[] {
  const lines: Word[][] = [];
  for (const word of row.sort((a, b) => a.box.x0 - b.box.x0)) {
    const last = lines.at(-1)?.at(-1);
    const gap = last ? word.box.x0 - last.box.x1 : 0;
    if (last && gap <= GAP_MAX * Math.max(last.size, word.size)) lines.at(-1)?.push(word);
    else lines.push([word]);
  }
  return lines.map(lineOf);
}

export function lineOf(words: Word[]): Line {
  const characters = words.reduce((sum, { text }) => sum + text.length, 0) || 1;
  const size = words.reduce((sum, word) => sum + word.size * word.text.length, 0) / characters;
  return { words, box: unionOf(words.map(({ box }) => box)), size };
}
