import type { BlockCollector } from '../collect-blocks.ts';
import { writeTable } from '../write-table.ts';

const SEPARATORS = [',', ';', '\t', '|'];
const SAMPLE_LINES = 20;

/** Paragraphs are what blank lines separate. */
export function readText(source: string, to: BlockCollector): void {
  for (const paragraph of source.replace(/\r\n?/g, '\n').split(/\n[^\S\n]*\n/)) to.add('text', paragraph);
}

/** Functions and the like mostly begin in the first column after a blank line; that is where code is cut. */
export function readCode(source: string, to: BlockCollector): void {
  for (const part of source.replace(/\r\n?/g, '\n').split(/\n{2,}(?=[^\s)}\]])/)) to.add('code', part);
}

export function readCsv(source: string, to: BlockCollector): void {
  const text = source.replace(/^\ufeff/, '');
  to.add('table', writeTable(parseCsv(text, separatorOf(text))));
}

/** The one that the first lines have most often, each as often as the others. */
function separatorOf(source: string): string {
  const lines = source
    .slice(0, 64 * 1024)
    .split(/\r?\n/)
    .slice(0, SAMPLE_LINES)
    .filter(Boolean);
  const score = (separator: string) => {
    const counts = lines.map((line) => line.split(separator).length - 1);
    const least = Math.min(...counts);
    return least > 0 ? least + 1000 : Math.max(0, ...counts) / 1000;
  };
  return SEPARATORS.toSorted((a, b) => score(b) - score(a))[0] ?? ',';
}

function parseCsv(source: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < source.length) {
    let cell = '';
    if (source[at] === '"') {
      at++;
      for (;;) {
        const end = source.indexOf('"', at);
        cell += source.slice(at, end < 0 ? source.length : end);
        at = end < 0 ? source.length : end + 1;
        if (source[at] !== '"') break;
        cell += '"';
        at++;
      }
    }
    const start = at;
    while (at < source.length && source[at] !== separator && source[at] !== '\n' && source[at] !== '\r') at++;
    row.push(cell + source.slice(start, at));
    if (source[at] === separator) {
      at++;
      continue;
    }
    if (source[at] === '\r' && source[at + 1] === '\n') at++;
    at++;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}
