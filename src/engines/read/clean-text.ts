/** Signs without a width, signs that reorder text, and the invisible copies of letters: all can hide text. */
const INVISIBLE = /[\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;
const TAGS = /[\u{e0000}-\u{e007f}]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Text as a person sees it, that both databases can store. */
export function cleanText(text: string, joinsSpaces: boolean): string {
  const plain = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(INVISIBLE, '')
    .replace(CONTROL, '')
    .replaceAll('\u00a0', ' ');
  if (!joinsSpaces) return withoutEdges(plain);
  return plain
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Lines without blanks at their ends; without empty ones around. No expression does this in one pass. */
function withoutEdges(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first < 0 ? '' : lines.slice(first, last + 1).join('\n');
}

/** Letters that were written with invisible signs. */
export function countHidden(text: string): number {
  return text.match(TAGS)?.length ?? 0;
}
