/** The eleven categories of the second generation, which the embedded classifier scores. */
export const categories = [
  'sexual',
  'hate_and_discrimination',
  'violence_and_threats',
  'dangerous',
  'criminal',
  'selfharm',
  'health',
  'financial',
  'law',
  'pii',
  'jailbreaking',
] as const;
export type Category = (typeof categories)[number];

/** The first generation had one category for two of them, and none for jailbreaking. */
const MERGED = 'dangerous_and_criminal_content';

const firstGeneration = [
  'sexual',
  'hate_and_discrimination',
  'violence_and_threats',
  MERGED,
  'selfharm',
  'health',
  'financial',
  'law',
  'pii',
] as const;

export const categoriesOf = { moderation_llm_v1: firstGeneration, moderation_llm_v2: categories } as const;
export type GuardrailKind = keyof typeof categoriesOf;

/** The names of a category in judgements of the other generation. */
export const otherNames: Readonly<Record<string, readonly string[]>> = {
  [MERGED]: ['dangerous', 'criminal'],
  dangerous: [MERGED],
  criminal: [MERGED],
};

export function isCategory(name: string): boolean {
  return Object.values(categoriesOf).some((names) => (names as readonly string[]).includes(name));
}
