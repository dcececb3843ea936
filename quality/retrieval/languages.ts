export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl'] as const;
export type Language = (typeof LANGUAGES)[number];
/** One text in each language. */
export type InLanguages<T> = Record<Language, T>;

/** In the order of `LANGUAGES`. */
export function inLanguages<T>(...values: [en: T, de: T, fr: T, es: T, it: T, nl: T]): InLanguages<T> {
  const [en, de, fr, es, it, nl] = values;
  return { en, de, fr, es, it, nl };
}
