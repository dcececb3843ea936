/** Short words that are frequent in one language and rare in the others. */
const WORDS: Readonly<Record<string, string>> = {
  en: 'the and of to is that for with was are this from have not by which',
  de: 'der die und das ist nicht mit ein eine auf für von den dem werden sich auch',
  fr: 'les des est une dans pour que qui sur pas avec par plus sont aux cette',
  es: 'los las del una que por con para está como más son pero fue entre',
  it: 'gli della che una per con non sono nella dei anche più come del alla',
  pt: 'uma não com para dos das que são mais pelo pela foi seu sua também',
  nl: 'het een van niet zijn voor met dat wordt ook aan bij naar deze werd',
  pl: 'jest nie się oraz przez dla jako które został tego być przy',
  sv: 'och att det som för inte med den till har ett eller från vid',
};
const SETS = Object.entries(WORDS).map(([language, words]) => [language, new Set(words.split(' '))] as const);
const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ['ja', /[\u3040-\u30ff]/g],
  ['ko', /[\uac00-\ud7af]/g],
  ['zh', /[\u4e00-\u9fff]/g],
  ['ru', /[\u0400-\u04ff]/g],
  ['el', /[\u0370-\u03ff]/g],
  ['ar', /[\u0600-\u06ff]/g],
  ['he', /[\u0590-\u05ff]/g],
];
const SAMPLE_CHARACTERS = 20_000;
const WORDS_MIN = 20;
const SHARE_MIN = 0.08;

/** The language of a text by its script or its commonest words; null where it is not clear. */
export function detectLanguage(text: string): string | null {
  const sample = text.slice(0, SAMPLE_CHARACTERS).toLowerCase();
  for (const [language, letters] of SCRIPTS)
    if ((sample.match(letters)?.length ?? 0) > sample.length * (language === 'ja' ? 0.05 : 0.3)) return language;
  const words = sample.match(/\p{L}+/gu) ?? [];
  if (words.length < WORDS_MIN) return null;
  const counts = SETS.map(([language, set]) => [language, words.filter((word) => set.has(word)).length] as const);
  const [best, second] = counts.toSorted((a, b) => b[1] - a[1]);
  if (!best || best[1] < words.length * SHARE_MIN || best[1] < (second?.[1] ?? 0) * 1.2) return null;
  return best[0];
}
