import { type Figure, formatValue, isMet, type Result } from './benchmark.ts';

const HEADER = ['name', 'figure', 'target', 'verdict'];

export function printTable(results: Result[]): void {
  const rows = results.flatMap(({ name, tries, figures }) =>
    figures.map((figure) => ({ cells: cellsOf(name, figure, tries), note: figure.note })),
  );
  const widths = HEADER.map((title, i) => Math.max(title.length, ...rows.map(({ cells }) => cells[i]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join(' | ')
      .trimEnd();
  console.log(line(HEADER));
  console.log(widths.map((width) => '-'.repeat(width)).join('-|-'));
  for (const { cells, note } of rows) {
    console.log(line(cells));
    if (note) console.log(`    ${note}`);
  }
}

function cellsOf(name: string, figure: Figure, tries: number): string[] {
  const { value, unit, target, disturbed } = figure;
  const verdict = isMet(figure) ? 'met' : disturbed ? 'DISTURBED' : 'MISSED';
  return [
    `${name}: ${figure.name}`,
    `${formatValue(value)} ${unit}`,
    target ? `${target.at} ${target.value} ${unit}` : '–',
    target ? `${verdict}${tries > 1 ? `, best of ${tries} tries` : ''}` : 'informative',
  ];
}
