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
  if (!joinsSpaces) return plain.replace(/[ \t]+$/gm, '').replace(/^\n+|\n+$/g, '');
  return plain
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Letters that were written with invisible signs. */
export function countHidden(text: string): number {
  return text.match(TAGS)?.length ?? 0;
}
