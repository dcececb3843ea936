type Stemmer = (word: string) => string;

/** By ISO 639-1; each is loaded when a text in its language is first met. */
const loaders: Record<string, () => Promise<{ stemmer: Stemmer }>> = {
  ar: () => import('@orama/stemmers/arabic'),
  bg: () => import('@orama/stemmers/bulgarian'),
  da: () => import('@orama/stemmers/danish'),
  de: () => import('@orama/stemmers/german'),
  el: () => import('@orama/stemmers/greek'),
  en: () => import('@orama/stemmers/english'),
  es: () => import('@orama/stemmers/spanish'),
  fi: () => import('@orama/stemmers/finnish'),
  fr: () => import('@orama/stemmers/french'),
  hi: () => import('@orama/stemmers/indian'),
  hu: () => import('@orama/stemmers/hungarian'),
  hy: () => import('@orama/stemmers/armenian'),
  id: () => import('@orama/stemmers/indonesian'),
  it: () => import('@orama/stemmers/italian'),
  lt: () => import('@orama/stemmers/lithuanian'),
  nl: () => import('@orama/stemmers/dutch'),
  no: () => import('@orama/stemmers/norwegian'),
  pt: () => import('@orama/stemmers/portuguese'),
  ro: () => import('@orama/stemmers/romanian'),
  ru: () => import('@orama/stemmers/russian'),
  sv: () => import('@orama/stemmers/swedish'),
  ta: () => import('@orama/stemmers/tamil'),
  tr: () => import('@orama/stemmers/turkish'),
  uk: () => import('@orama/stemmers/ukrainian'),
};

const KNOWN_MAX = 50_000;
const STEM_CHARACTERS_MIN = 3;
const FOLDED = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]/u;
const LETTERS: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };
const SPECIAL = /[ßæœøłđðþı]/g;
const MARKS = /\p{M}/gu;

const stemmers = new Map<string, Promise<Stemmer>>();

/** `de-AT` and `DE` are `de`; undefined for a language without a stemmer. */
export function stemLanguageOf(language: string | null): string | undefined {
  const short = language?.toLowerCase().split(/[-_]/)[0];
  const known = short === 'nb' || short === 'nn' ? 'no' : short;
  return known !== undefined && Object.hasOwn(loaders, known) ? known : undefined;
}

/** A word as it is stored and searched for: its stem in that language, without accents. */
export async function stemmerFor(language: string | undefined): Promise<Stemmer> {
  const key = language ?? '';
  const known = stemmers.get(key);
  if (known) return known;
  const loading = load(language);
  stemmers.set(key, loading);
  return loading;
}

async function load(language: string | undefined): Promise<Stemmer> {
  const stem = language === undefined ? undefined : (await loaders[language]?.())?.stemmer;
  const results = new Map<string, string>();
  return (word) => {
    const known = results.get(word);
    if (known !== undefined) return known;
    if (results.size >= KNOWN_MAX) results.clear();
    const result = fold(stem ? stemSafely(stem, word) : word);
    results.set(word, result);
    return result;
  };
}

function stemSafely(stem: Stemmer, word: string): string {
  if (word.length <= STEM_CHARACTERS_MIN) return word;
  const result = stem(word);
  // A stemmer may throw away all of a word that it does not know.
  return result.length === 0 || /[^\p{L}\p{N}\p{M}]/u.test(result) ? word : result;
}

function fold(word: string): string {
  if (!FOLDED.test(word)) return word;
  const plain = word.normalize('NFD').replace(MARKS, '');
  return plain.toLowerCase().replace(SPECIAL, (letter) => LETTERS[letter] ?? letter) || word;
}
