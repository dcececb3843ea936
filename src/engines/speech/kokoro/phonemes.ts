// eSpeak NG writes `h_ə_l_ˈoʊ` where Kokoro was taught `həlˈO`: one sign for each diphthong and affricate. The first
// separates sounds by `_`, which shows whether two signs are one sound.

type Rules = readonly (readonly [string, string])[];

const EVERYWHERE: Rules = [
  ['dʒ', 'ʤ'],
  ['tʃ', 'ʧ'],
  ['dz', 'ʣ'],
  ['ts', 'ʦ'],
  ['tɕ', 'ʨ'],
  ['dʑ', 'ʥ'],
  ['aɪ', 'I'],
  ['aʊ', 'W'],
  ['eɪ', 'A'],
  ['oʊ', 'O'],
  ['əʊ', 'Q'],
  ['ɔɪ', 'Y'],
];

const ENGLISH: Rules = [
  ['əl', 'ᵊl'],
  ['n̩', 'ᵊn'],
  ['ɚ', 'əɹ'],
  ['r', 'ɹ'],
  ['x', 'k'],
  ['ç', 'k'],
  ['ɐ', 'ə'],
  ['ɬ', 'l'],
  ['ʔ', 't'],
];

const AMERICAN: Rules = [
  ['ɜːɹ', 'ɜɹ'],
  ['ɜː', 'ɜɹ'],
  ['ɪə', 'iə'],
  ['ɾ', 'T'],
  ['ː', ''],
];

const BRITISH: Rules = [
  ['eə', 'ɛː'],
  ['iə', 'ɪə'],
];

/** Aspiration and the tones, of which eSpeak NG's notation tells three apart. */
const MANDARIN: Rules = [
  ['χ', 'x'],
  ['tɕh', 'ʨʰ'],
  ['tsh', 'ʦʰ'],
  ['ts.h', 'ꭧʰ'],
  ['ts.', 'ꭧ'],
  ['s.', 'ʂ'],
  ['ph', 'pʰ'],
  ['th', 'tʰ'],
  ['kh', 'kʰ'],
  ['onɡ', 'ʊŋ'],
  ['y', 'ɥ'],
  ['5', '→'],
  ['ɜ', '↗'],
  ['2', '↓'],
  ['1', ''],
];

const RULES: Record<string, Rules> = {
  'en-US': [...AMERICAN, ...ENGLISH, ...EVERYWHERE],
  'en-GB': [...BRITISH, ...ENGLISH, ...EVERYWHERE],
  cmn: [...MANDARIN, ...EVERYWHERE],
};

/** eSpeak NG's phonemes of a text in the given language, in Kokoro's notation. */
export function toKokoro(phonemes: string, language: string): string {
  const rules = RULES[language] ?? EVERYWHERE;
  return phonemes
    .replace(/\([a-z-]+\)/g, '')
    .split(/(\s+)/)
    .map((word) =>
      word
        .split('_')
        .map((sound) => rewrite(sound, rules))
        .join(''),
    )
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

function rewrite(sound: string, rules: Rules): string {
  let text = sound;
  for (const [from, to] of rules) text = text.replaceAll(from, to);
  // Marks above and below a letter, but for the nasal one, mark finer differences than the model knows.
  return text
    .normalize('NFD')
    .replace(/(?![\u0303\u0327])\p{Mn}/gu, '')
    .replaceAll('c\u0327', 'ç');
}
