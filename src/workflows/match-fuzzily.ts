/** Typos allowed, by minimum word length. */
const TOLERANCE: readonly [length: number, mistakes: number][] = [
  [8, 2],
  [4, 1],
];

/** Whether the texts contain every word of the search, ignoring case and a few typos. */
export function matchesFuzzily(search: string, texts: readonly (string | null)[]): boolean {
  const fields = texts.map((text) => (text ?? '').toLowerCase());
  const words = fields.flatMap(wordsOf);
  return wordsOf(search.toLowerCase()).every(
    (word) =>
      fields.some((field) => field.includes(word)) || words.some((known) => isNear(word, known, mistakesIn(word))),
  );
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

function mistakesIn(word: string): number {
  return TOLERANCE.find(([length]) => word.length >= length)?.[1] ?? 0;
}

/** Damerau-Levenshtein distance; stops early when it is too large. */
function isNear(a: string, b: string, limit: number): boolean {
  if (limit === 0 || Math.abs(a.length - b.length) > limit) return false;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
        swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    if (Math.min(...current) > limit) return false;
    before = previous;
    previous = current;
  }
  return (previous[b.length] ?? limit + 1) <= limit;
}
