/** By the first subtag of a language. */
const TEXTS: Record<string, string> = {
  de: 'Guten Tag. So klingt meine Stimme.',
  en: 'Hello. This is how my voice sounds.',
  es: 'Hola. Así suena mi voz.',
  fr: 'Bonjour. Voici le son de ma voix.',
  hi: 'नमस्ते। मेरी आवाज़ ऐसी है।',
  it: 'Ciao. Ecco come suona la mia voce.',
  ja: 'こんにちは。これが私の声です。',
  nl: 'Hallo. Zo klinkt mijn stem.',
  pl: 'Dzień dobry. Tak brzmi mój głos.',
  pt: 'Olá. É assim que soa a minha voz.',
  zh: '你好。这就是我的声音。',
};

/** A sample text in the first of these languages that has one, else in English. */
export function sampleText(languages: readonly string[]): string {
  const own = languages.map((language) => TEXTS[language.toLowerCase().split('-')[0] ?? '']).find(Boolean);
  return own ?? (TEXTS.en as string);
}
