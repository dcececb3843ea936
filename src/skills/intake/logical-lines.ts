import type { LogicalLine } from './finding.ts';

const JOINED_CHARACTERS_MAX = 4000;

export const LINE_END = /\r\n|\r|\n/;
const TABLE_ROW = /^\s*\|/;
const CONTINUES = /(?:[\\`]|\||&&)\s{0,80}$/;
const GLUE = /[\\`]\s*$/;

/** Joins a line that ends in a continuation (backslash, backtick, pipe, &&) with the next. */
export function logicalLines(text: string): LogicalLine[] {
  const lines = text.split(LINE_END);
  const joined: LogicalLine[] = [];
  let parts: string[] = [];
  let length = 0;
  for (const [index, raw] of lines.entries()) {
    // The pipe at the end of a Markdown table row is no continuation.
    const isRow = parts.length === 0 && TABLE_ROW.test(raw);
    length += raw.length + 1;
    const isLast = index === lines.length - 1;
    const continues = !isLast && !isRow && length < JOINED_CHARACTERS_MAX && CONTINUES.test(raw);
    parts.push(continues ? raw.replace(GLUE, '') : raw);
    if (continues) continue;
    joined.push({ text: parts.join(' '), line: index + 2 - parts.length });
    parts = [];
    length = 0;
  }
  return joined;
}

/** The cells of a Markdown table row, or the whole line. A pipe inside a cell is written `\|`. */
export function commandsOf(line: string): string[] {
  if (!TABLE_ROW.test(line)) return [line];
  return line
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|'))
    .filter((cell) => cell.trim() !== '');
}
