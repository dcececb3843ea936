/** Pads each column to its widest cell, except the last. `ifEmpty` is shown instead of a table without rows. */
export function formatTable(header: string[], rows: string[][], ifEmpty?: string): string {
  if (rows.length === 0 && ifEmpty !== undefined) return ifEmpty;
  const table = [header, ...rows].map((row) => row.map(replaceControls));
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

export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** With two to six decimals. */
export function formatAmount(amount: number): string {
  return amount.toFixed(6).replace(/0{1,4}$/, '');
}

// Names come from users; an escape sequence in one must not reach the terminal.
function replaceControls(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\ufffd');
}
