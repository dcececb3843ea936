import { readFileSync, writeFileSync } from 'node:fs';
import { formatValue, isMet, type Result } from './benchmark.ts';

const FIRST_ROW = /^\| Part \| .*\n\|[-| ]+\|\n/m;

/** Replaces the rows of the parts that ran in a page of docs; other parts keep theirs. */
export function keepFigures(results: Result[], page: URL, today = new Date().toISOString().slice(0, 10)): void {
  const text = readFileSync(page, 'utf8');
  const head = FIRST_ROW.exec(text);
  if (!head) throw new Error(`${page.pathname} has no table of figures.`);
  const start = head.index + head[0].length;
  const length = text.slice(start).search(/^(?!\|)/m);
  const end = length === -1 ? text.length : start + length;
  const ran = new Set(results.map(({ name }) => name));
  const kept = text
    .slice(start, end)
    .split('\n')
    .filter((row) => row !== '' && !ran.has(partOf(row)));
  const rows = [...kept, ...results.flatMap((result) => rowsOf(result, today))].sort((a, b) =>
    partOf(a).localeCompare(partOf(b)),
  );
  writeFileSync(page, `${text.slice(0, start)}${rows.join('\n')}\n${text.slice(end)}`);
}

function partOf(row: string): string {
  return /^\| `([^`]+)`/.exec(row)?.[1] ?? '';
}

function rowsOf({ name, figures }: Result, today: string): string[] {
  return figures.map((figure) => {
    const { value, unit, target } = figure;
    const bar = target ? `${target.at} ${target.value}` : 'informs';
    const verdict = target ? (isMet(figure) ? 'met' : '**missed**') : '–';
    return `| \`${name}\` | ${figure.name} | ${`${formatValue(value)} ${unit}`.trim()} | ${bar} | ${verdict} | ${today} |`;
  });
}
