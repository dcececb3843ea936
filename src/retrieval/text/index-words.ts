import { languageOfWords } from './detect-language.ts';
import { splitWords } from './split-words.ts';
import { stemLanguageOf, stemmerFor } from './stem-words.ts';

/** The language of short texts that do not tell theirs. */
const LIKELIEST = 'en';
const LATIN = /\p{Script=Latin}/u;
const QUERY_WORDS_MAX = 32;

export type IndexedWords = { body: string; head: string; language: string | undefined };

/** The collection stands in front of each word: collections share an index but neither entries nor statistics. */
const prefixOf = (collectionNo: number): string => `${collectionNo.toString(36)}_`;

/** The stems of a chunk, with its collection in front of each. */
export async function indexWords(
  collectionNo: number,
  language: string | null,
  text: string,
  head: string,
): Promise<IndexedWords> {
  const words = splitWords(text);
  const known = stemLanguageOf(languageOfWords(words) ?? language ?? (LATIN.test(text) ? LIKELIEST : null));
  const stem = await stemmerFor(known);
  const prefix = prefixOf(collectionNo);
  const write = (split: string[]) => split.map((word) => prefix + stem(word)).join(' ');
  return { body: write(words), head: write(splitWords(head)), language: known };
}

/** For each word of a query the forms that it may have in this collection. */
export async function queryTerms(collectionNo: number, languages: string[], query: string): Promise<string[][]> {
  const stemmers = await Promise.all([undefined, ...languages].map(stemmerFor));
  const prefix = prefixOf(collectionNo);
  const words = [...new Set(splitWords(query))].slice(0, QUERY_WORDS_MAX);
  return words.map((word) => [...new Set(stemmers.map((stem) => prefix + stem(word)))]);
}
