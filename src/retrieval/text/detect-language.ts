import { splitWords } from './split-words.ts';

const CHARACTERS_MAX = 4000;
const WORDS_MAX = 1000;
const HITS_MIN = 2;

const LATIN = /\p{Script=Latin}+/gu;
const SCRIPTS: [pattern: RegExp, language: string][] = [
  [/[іїєґ]/u, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Armenian}/u, 'hy'],
  [/\p{Script=Tamil}/u, 'ta'],
];

/** The most frequent words of languages in Latin letters, as far as they tell them apart. */
const FREQUENT: Record<string, string> = {
  en: 'the of and to is that it was for on are with as be at this have from or had by not but what all were when there can which their has been would',
  de: 'der die und den von das mit sich des auf für ist im dem nicht ein eine als auch es werden aus er hat dass sie nach wird bei einer um einem oder nur wie zu',
  fr: 'le la les et des une est dans que pour qui pas sur au plus par avec ce il sont du se ne aux cette ou mais nous vous leur être été comme',
  es: 'el la los que las por con una del para es como más pero sus fue este ya entre cuando todo esta ser son sobre también hay desde muy y su lo',
  it: 'il di che la un per non una del sono della con gli dei nel più anche alla come delle questo ha ma è se nella loro lo si dal suo',
  pt: 'o que não uma os para com por mais dos como mas foi ao ele das tem à seu sua ou quando muito nos já está também pelo pela até são do em',
  nl: 'de het een van en dat niet te zijn op met voor er maar om dan zou wat mijn men dit zo door over zij bij ook tot naar wordt aan deze is',
  sv: 'och att det som på är av för med den till inte om ett han men var jag sig från vi så kan när har eller hade efter ut nu',
  da: 'og det at en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu over efter',
  no: 'og det at en den til er som på de med han av for ikke der var seg men et har om vi min hadde hun nå over etter også ble',
  fi: 'ja on ei se että hän oli ovat mutta kun niin myös joka kuin tai vain jos sen siitä olla ole mitä tämä hänen sitä mukaan',
  hu: 'a az és hogy nem is egy van ez de meg csak volt már ki még mint azt el vagy ha kell lehet minden után ezt volna között',
  ro: 'și în de la cu este pe nu un o că mai din care pentru sunt au prin sau dar fi ca după fost acest această lui între',
  tr: 've bir bu da de için ile çok ne o daha gibi var olarak ama en olan kadar değil sonra ben mi her şey veya ise',
  id: 'yang dan di dengan untuk tidak ini dari dalam akan pada itu juga adalah ke karena tersebut bisa ada mereka lebih kata telah oleh saat',
  lt: 'ir yra kad su tai bet iš jo kaip ar už nuo dėl prie jis buvo arba tik jau gali po apie',
  pl: 'i w na z że do się nie jest to o jak po przez co dla od za ale ma są jego czy tego być może przy tylko oraz który',
  cs: 'a v na je že se s z do o k i jako za by od ale po který byl jsou pro podle jeho být však také může při',
};

const languagesOf = new Map<string, string[]>();
for (const [language, words] of Object.entries(FREQUENT)) {
  for (const word of words.split(' ')) languagesOf.set(word, [...(languagesOf.get(word) ?? []), language]);
}

/** The language of a text by its script or its most frequent words; null where there is too little to tell. */
export function detectLanguage(text: string): string | null {
  return languageOfWords(splitWords(text.slice(0, CHARACTERS_MAX)));
}

/** The same for words that are split already; the first ones tell. */
export function languageOfWords(all: readonly string[]): string | null {
  const words = all.slice(0, WORDS_MAX);
  const letters = words.join('');
  if (letters === '') return null;
  const others = letters.replace(LATIN, '').length;
  if (others > letters.length / 2) return SCRIPTS.find(([pattern]) => pattern.test(letters))?.[1] ?? null;
  const hits = new Map<string, number>();
  for (const word of words) {
    const languages = languagesOf.get(word) ?? [];
    // A word that many languages have tells little.
    for (const language of languages) hits.set(language, (hits.get(language) ?? 0) + 1 / languages.length);
  }
  let best: string | null = null;
  let most = HITS_MIN;
  for (const [language, count] of hits) if (count >= most) [best, most] = [language, count];
  return best;
}
