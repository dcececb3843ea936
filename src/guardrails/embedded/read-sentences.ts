import { readFile } from 'node:fs/promises';
import type { Category } from '../categories.ts';

/** No category at all means harmless. */
export type Sentence = { text: string; categories: Category[] };

/** Which half: what the classifier is made from, or what it is measured on. */
export type Half = 'prototypes' | 'held-out';

export async function readSentences(half: Half): Promise<Sentence[]> {
  const lines = await readFile(new URL(`${half}.jsonl`, import.meta.url), 'utf8');
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Sentence);
}
