type Part = { text: string; isHit: boolean };

const WORD = /[\p{L}\p{N}]+/gu;
/** Shorter words are in nearly every sentence. */
const WORD_MIN = 3;
/** Words of a text and of a question differ in their endings. */
const STEM = 5;

/** Cuts a text at the words that begin like a word of the query. */
export function markWords(text: string, query: string): Part[] {
  const stems = (fold(query).match(WORD) ?? [])
    .filter((word) => word.length >= WORD_MIN)
    .map((word) => word.slice(0, STEM));
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const folded = fold(word);
    if (!stems.some((stem) => folded.startsWith(stem))) continue;
    if (index > end) parts.push({ text: text.slice(end, index), isHit: false });
    end = index + word.length;
    parts.push({ text: word, isHit: true });
  }
  if (end < text.length) parts.push({ text: text.slice(end), isHit: false });
  return parts;
}

/** Accents do not matter to a search. */
const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
