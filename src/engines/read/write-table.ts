/** Cells as a Markdown table; its first row is the head. */
export function writeTable(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const [head] = filled;
  if (!head) return '';
  const width = filled.reduce((most, row) => Math.max(most, row.length), 0);
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, i) => cellOf(row[i] ?? '')).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(width)}`, ...filled.slice(1).map(line)].join('\n');
}

function cellOf(text: string): string {
  return text.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|');
}
