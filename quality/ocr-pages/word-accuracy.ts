/**
 * The share of words that were read right, from 0 to 1: words that text and truth have in common, each as often as both have it,
 * of the words of the longer one. So what is missed counts, what was made up counts, and the order does not.
 */
export function wordAccuracy(read: string, truth: string): number {
  const [words, wanted] = [wordsOf(read), wordsOf(truth)];
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let found = 0;
  for (const word of words) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    found++;
  }
  const longer = Math.max(words.length, wanted.length);
  return longer === 0 ? 1 : found / longer;
}

/** Between spaces, without the marks around them, which also takes away those of Markdown. Case and accents count. */
function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .replace(/!\[[^\]]*\]\([^)]*\)|<br>/g, ' ')
    .replaceAll('\\', '')
    .replace(/[’‘]/g, "'")
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '');
}
