/** Words whose full stop does not end a sentence, whatever follows. */
const NEVER_LAST = new Set(
  [
    'dr mr mrs ms prof st mt rev hon gen col sgt capt lt gov sen rep pres',
    'no vol fig pp ed vs approx cf e.g i.e jan feb mar apr jun jul aug sep sept oct nov dec',
    'nr bzw ca z.b d.h u.a evtl ggf abb hr fr',
    'mme mlle mm sr sra srta ud uds sig dott ing',
  ]
    .join(' ')
    .split(' '),
);
const WORD_BEFORE = /[\p{L}\p{N}.]+$/u;
const WORD_BEFORE_LENGTH = 24;

/** Whether the full stop at this place belongs to its word: `Dr. Smith`, `e.g. this`, `J. Doe`, `1. First`. */
export function isAbbreviation(text: string, fullStop: number): boolean {
  const before = text.slice(Math.max(0, fullStop - WORD_BEFORE_LENGTH), fullStop);
  const word = WORD_BEFORE.exec(before)?.[0] ?? '';
  if (word === '' || text[fullStop + 1] === '.') return false;
  const next = /^\.["'”’»)\]]*\s+(.)/u.exec(text.slice(fullStop))?.[1];
  if (next === undefined) return false;
  if (/\p{Ll}/u.test(next)) return true;
  if (NEVER_LAST.has(word.toLowerCase())) return true;
  // The number of an item in a list.
  if (/^\d{1,3}$/.test(word) && before.trim() === word) return true;
  return /^\p{Lu}$/u.test(word) || /^(?:\p{L}\.)+\p{L}$/u.test(word);
}
