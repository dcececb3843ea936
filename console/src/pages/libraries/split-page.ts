const WORD = /[\p{L}\p{N}]+/gu;
const BETWEEN = '[^\\p{L}\\p{N}]+';
/** So many words find the beginning and the end of a passage. */
const WORDS = 8;

export type Split = { before: string; passage: string; after: string };

/** Finds a passage in the Markdown of its page by its first and last words: marks and spaces may differ. */
export function splitPage(page: string, passage: string): Split | undefined {
  const words = passage.match(WORD) ?? [];
  if (words.length === 0) return undefined;
  const start = find(page, words.slice(0, WORDS), 0);
  if (!start) return undefined;
  const last = find(page, words.slice(-WORDS), start.from) ?? start;
  const from = lineStart(page, start.from);
  const to = Math.max(start.to, lineEnd(page, last.to, passage));
  return { before: page.slice(0, from), passage: page.slice(from, to), after: page.slice(to) };
}

function find(text: string, words: readonly string[], from: number): { from: number; to: number } | undefined {
  const pattern = new RegExp(words.join(BETWEEN), 'gu');
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match ? { from: match.index, to: match.index + match[0].length } : undefined;
}

/** Includes the marks of a heading, list or table that stand before the first word. */
function lineStart(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  return /[\p{L}\p{N}]/u.test(text.slice(line, at)) ? at : line;
}

/** Includes the full stop, or the end of a table row. */
function lineEnd(text: string, at: number, passage: string): number {
  const tail = /[^\p{L}\p{N}]*$/u.exec(passage)?.[0].trimEnd().length ?? 0;
  const rest = /^[^\p{L}\p{N}\n]*/u.exec(text.slice(at))?.[0] ?? '';
  return at + (tail > 0 || rest.includes('|') ? rest.trimEnd().length : 0);
}
