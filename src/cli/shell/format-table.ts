/** Columns as wide as their widest cell, the last one ragged. */
export function formatTable(header: string[], rows: string[][]): string {
  const table = [header, ...rows].map((row) => row.map(printable));
  const widths = header.map((_, column) =>
    table.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** To the minute, in UTC. */
export function formatTime(iso: string | null): string {
  return iso === null ? '-' : iso.slice(0, 16).replace('T', ' ');
}

export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// Names come from users: one with an escape sequence in it must not rule the operator's terminal.
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\ufffd');
}
