import type { Judgement } from '../models/index.ts';

/** OpenAI's categories in the names of this API. One may count for two. */
const RENAMED: Readonly<Record<string, readonly string[]>> = {
  'sexual/minors': ['sexual'],
  hate: ['hate_and_discrimination'],
  'hate/threatening': ['hate_and_discrimination', 'violence_and_threats'],
  harassment: ['hate_and_discrimination'],
  'harassment/threatening': ['violence_and_threats'],
  violence: ['violence_and_threats'],
  'violence/graphic': ['violence_and_threats'],
  'self-harm': ['selfharm'],
  'self-harm/intent': ['selfharm'],
  'self-harm/instructions': ['selfharm'],
  illicit: ['criminal'],
  'illicit/violent': ['criminal', 'dangerous'],
};

/** Mistral's names are ours already, and a name that nobody knows stays as it is. */
export function renameCategories({ scores, flags }: Judgement): Judgement {
  const renamed: Judgement = { scores: {}, flags: {} };
  const namesOf = (name: string) => (Object.hasOwn(RENAMED, name) ? RENAMED[name] : undefined) ?? [name];
  for (const [theirs, score] of Object.entries(scores))
    for (const name of namesOf(theirs)) renamed.scores[name] = Math.max(renamed.scores[name] ?? 0, score);
  for (const [theirs, flag] of Object.entries(flags))
    for (const name of namesOf(theirs)) renamed.flags[name] = (renamed.flags[name] ?? false) || flag;
  return renamed;
}
