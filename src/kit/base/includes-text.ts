/** The runtime's search costs at most this many comparisons a character for shorter parts. */
const SHORT_CHARACTERS = 32;

/** `text.includes(part)` in linear time, for texts of clients: the runtime's own takes minutes for two long repetitive ones. */
export function includesText(text: string, part: string): boolean {
  if (part.length <= SHORT_CHARACTERS) return text.includes(part);
  if (part.length > text.length) return false;
  const borders = readBorders(part);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    matched = extend(part, borders, matched, text.charCodeAt(at));
    if (matched === part.length) return true;
  }
  return false;
}

/** For each prefix the length of the longest shorter prefix that it ends with (Knuth, Morris, Pratt). */
function readBorders(part: string): Uint32Array {
  const borders = new Uint32Array(part.length + 1);
  for (let at = 1; at < part.length; at++)
    borders[at + 1] = extend(part, borders, borders[at] ?? 0, part.charCodeAt(at));
  return borders;
}

/** How much of the part matches with one more character. */
function extend(part: string, borders: Uint32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length] ?? 0;
  return part.charCodeAt(length) === unit ? length + 1 : length;
}
