/** A stretch of text and the language in which to read it. */
export type Run = { text: string; language: string };

/** Who reads letters that are not those of the voice's own language. Latin ones are left to the voice. */
const READERS: readonly { scripts: readonly string[]; codes: readonly string[]; language: string }[] = [
  { scripts: ['Cyrillic'], codes: ['Cyrl'], language: 'ru' },
  { scripts: ['Greek'], codes: ['Grek'], language: 'el' },
  { scripts: ['Hangul'], codes: ['Kore', 'Hang'], language: 'ko' },
  { scripts: ['Arabic'], codes: ['Arab'], language: 'ar' },
  { scripts: ['Hebrew'], codes: ['Hebr'], language: 'he' },
  { scripts: ['Devanagari'], codes: ['Deva'], language: 'hi' },
  { scripts: ['Bengali'], codes: ['Beng'], language: 'bn' },
  { scripts: ['Gujarati'], codes: ['Gujr'], language: 'gu' },
  { scripts: ['Gurmukhi'], codes: ['Guru'], language: 'pa' },
  { scripts: ['Tamil'], codes: ['Taml'], language: 'ta' },
  { scripts: ['Telugu'], codes: ['Telu'], language: 'te' },
  { scripts: ['Kannada'], codes: ['Knda'], language: 'kn' },
  { scripts: ['Malayalam'], codes: ['Mlym'], language: 'ml' },
  { scripts: ['Sinhala'], codes: ['Sinh'], language: 'si' },
  { scripts: ['Thai'], codes: ['Thai'], language: 'th' },
  { scripts: ['Myanmar'], codes: ['Mymr'], language: 'my' },
  { scripts: ['Georgian'], codes: ['Geor'], language: 'ka' },
  { scripts: ['Armenian'], codes: ['Armn'], language: 'hy' },
  { scripts: ['Ethiopic'], codes: ['Ethi'], language: 'am' },
  // Kana anywhere make the Chinese characters beside them Japanese.
  { scripts: ['Hiragana', 'Katakana', 'Han'], codes: ['Jpan'], language: 'ja' },
  { scripts: ['Han'], codes: ['Hans', 'Hant', 'Jpan', 'Kore'], language: 'cmn' },
];
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const FOREIGN = /(?!\p{Script=Latin})\p{L}/u;

/** The text in runs, each in a language that has its letters. Most texts are one run. */
export function splitScripts(text: string, language: string): Run[] {
  if (!FOREIGN.test(text)) return [{ text, language }];
  const own = scriptOf(language);
  const hasKana = KANA.test(text);
  let runs: Run[] = [{ text, language }];
  for (const { pattern, codes, language: reader } of readers()) {
    if (codes.includes(own) || (reader === 'ja' && !hasKana)) continue;
    runs = runs.flatMap((run) => (run.language === language ? cut(run, pattern, reader) : [run]));
  }
  return joinMarks(runs);
}

/** Punctuation between two runs belongs to the one before it. */
function joinMarks(runs: Run[]): Run[] {
  const joined: Run[] = [];
  for (const run of runs) {
    const before = joined.at(-1);
    if (before && !/[\p{L}\p{N}]/u.test(run.text)) before.text += run.text;
    else if (/\S/.test(run.text)) joined.push({ ...run });
  }
  return joined;
}

let known: { codes: readonly string[]; language: string; pattern: RegExp }[] | undefined;

/** Made for the first text that needs them: some twenty patterns of all letters would cost each start ten milliseconds. */
function readers(): NonNullable<typeof known> {
  known ??= READERS.map(({ scripts, codes, language }) => {
    const letters = `[${scripts.map((script) => `\\p{Script=${script}}`).join('')}\\p{M}]`;
    const pattern = new RegExp(`(${letters}+(?:[^\\p{L}\\p{M}]{1,8}${letters}+)*[^\\p{L}\\p{M}\\p{N}]*)`, 'u');
    return { codes, language, pattern };
  });
  return known;
}

/** Every other part of the split is what the pattern found. */
function cut({ text, language }: Run, pattern: RegExp, reader: string): Run[] {
  return text.split(pattern).map((part, index) => ({ text: part, language: index % 2 === 0 ? language : reader }));
}

function scriptOf(language: string): string {
  try {
    return new Intl.Locale(language).maximize().script ?? 'Latn';
  } catch {
    return 'Latn';
  }
}
