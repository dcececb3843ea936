const WORD_CHARACTERS_MAX = 64;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that are written without spaces, and Korean, whose endings stick to the words. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const isDense = new RegExp(DENSE.source, 'u');

/** Lower-case words in their order; of scripts without spaces each pair of neighbouring characters. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const [match] of text.normalize('NFKC').toLowerCase().matchAll(WORDS)) {
    if (!isDense.test(match)) words.push(match.slice(0, WORD_CHARACTERS_MAX));
    else splitDense(match, words);
  }
  return words;
}

function splitDense(match: string, words: string[]): void {
  let end = 0;
  for (const run of match.matchAll(DENSE)) {
    if (run.index > end) words.push(match.slice(end, run.index).slice(0, WORD_CHARACTERS_MAX));
    const characters = [...run[0]];
    if (characters.length === 1) words.push(run[0]);
    for (let i = 0; i + 1 < characters.length; i++) words.push(`${characters[i]}${characters[i + 1]}`);
    end = run.index + run[0].length;
  }
  if (end < match.length) words.push(match.slice(end).slice(0, WORD_CHARACTERS_MAX));
}
