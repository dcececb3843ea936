import type { Line, Table } from './elements.ts';
import { type Box, median, unionOf } from './geometry.ts';

const ROWS_MIN = 3;
/** Cells are short; longer pieces side by side are columns of text. */
const WORDS_PER_CELL_MAX = 4;
/** Rows of one table are not further apart than this, in sizes of their letters. */
const ROW_GAP_MAX = 2.6;

/** Tables that only the alignment of their words shows: rows of short pieces with the same gaps between them. */
export function findAlignedTables(lines: readonly Line[]): Table[] {
  const tables: Table[] = [];
  let run: Line[][] = [];
  const finish = () => {
    const table = run.length >= ROWS_MIN ? tableOf(run) : undefined;
    if (table) tables.push(table);
    run = [];
  };
  for (const row of rowsOf(lines)) {
    if (row.length < 2) finish();
    else {
      const last = run.at(-1);
      if (last && !follows(last, row)) finish();
      run.push(row);
    }
  }
  finish();
  return tables;
}

function rowsOf(lines: readonly Line[]): Line[][] {
  const rows: Line[][] = [];
  for (const line of [...lines].sort((a, b) => a.box.y0 + a.box.y1 - b.box.y0 - b.box.y1)) {
    const last = rows.at(-1);
    const first = last?.[0];
    const middle = (line.box.y0 + line.box.y1) / 2;
    if (last && first && middle > first.box.y0 && middle < first.box.y1) last.push(line);
    else rows.push([line]);
  }
  return rows.map((row) => row.sort((a, b) => a.box.x0 - b.box.x0));
}

function follows(above: Line[], below: Line[]): boolean {
  const [top, bottom] = [unionOf(above.map(({ box }) => box)), unionOf(below.map(({ box }) => box))];
  const size = median([...above, ...below].map((line) => line.size));
  return bottom.y0 - top.y1 < ROW_GAP_MAX * size && separators([...above, ...below]).length >= 1;
}

/** Where no piece stands, between the leftmost and the rightmost: the gaps between the columns. */
function separators(lines: Line[]): { x0: number; x1: number }[] {
  const gaps: { x0: number; x1: number }[] = [];
  let end = -Infinity;
  for (const { box } of [...lines].sort((a, b) => a.box.x0 - b.box.x0)) {
    if (box.x0 > end && end > -Infinity) gaps.push({ x0: end, x1: box.x0 });
    end = Math.max(end, box.x1);
  }
  return gaps;
}

function tableOf(run: Line[][]): Table | undefined {
  const lines = run.flat();
  const edges = separators(lines).map(({ x0, x1 }) => (x0 + x1) / 2);
  const perCell = lines.reduce((sum, { words }) => sum + words.length, 0) / lines.length;
  if (edges.length === 0 || perCell > WORDS_PER_CELL_MAX) return undefined;
  // A row of a true table has something in most of its columns.
  const filled = lines.length / (run.length * (edges.length + 1));
  if (filled < 0.6) return undefined;
  const rows = run.map((row) => {
    const cells = Array.from({ length: edges.length + 1 }, () => ({ lines: [] as Line[], columns: 1 }));
    for (const line of row) cells[columnOf(line.box, edges)]?.lines.push(line);
    return cells;
  });
  return { box: unionOf(lines.map(({ box }) => box)), rows };
}

function columnOf({ x0, x1 }: Box, edges: number[]): number {
  const middle = (x0 + x1) / 2;
  const at = edges.findIndex((edge) => middle < edge);
  return at < 0 ? edges.length : at;
}
