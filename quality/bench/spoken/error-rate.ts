import { UNSPACED } from './texts.ts';

/** The share of words, or characters, that must be changed: 0 is perfect. */
export function errorRate(language: string, said: string, heard: string): number {
  const [truth, guess] = [unitsOf(language, said), unitsOf(language, heard)];
  return distance(truth, guess) / Math.max(1, truth.length);
}

function unitsOf(language: string, text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\s]/gu, UNSPACED.has(language) ? '' : ' ');
  return UNSPACED.has(language) ? [...plain.replaceAll(/\s/g, '')] : plain.split(/\s+/).filter(Boolean);
}

function distance(first: readonly string[], second: readonly string[]): number {
  let row = Array.from({ length: second.length + 1 }, (_, index) => index);
  for (const [i, one] of first.entries()) {
    const next = [i + 1];
    for (const [j, other] of second.entries())
      next.push(Math.min((row[j] ?? 0) + (one === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    row = next;
  }
  return row.at(-1) ?? 0;
}
