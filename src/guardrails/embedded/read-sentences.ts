import { readFile } from 'node:fs/promises';
import { codeFile } from '../../kit/base/locations.ts';
import type { Category } from '../categories.ts';

/** A sentence without categories is harmless. */
export type Sentence = { text: string; categories: Category[] };

/** The classifier is made from the prototypes and measured on the held-out sentences. */
export type Half = 'prototypes' | 'held-out';

export async function readSentences(half: Half): Promise<Sentence[]> {
  const lines = await readFile(codeFile(`guardrails/embedded/${half}.jsonl`), 'utf8');
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Sentence);
}
