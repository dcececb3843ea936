// The rules of BERT's tokenizer, as the `tokenizers` library runs them: clean, put spaces around Chinese characters,
// strip accents and lower-case unless the model is a cased one, split at white space and around punctuation.

/** Everything that needs more than lower-casing and splitting. Most English text has none of it. */
const PLAIN_ASCII = /^[\t\n\r\x20-\x7e]*$/;
const DROPPED = /[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
// Without Hangul, Hiragana and Katakana: their words have spaces or are left to the vocabulary.
const CHINESE =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
const ACCENTS = /\p{Mn}/gu;
// Symbols such as $ and + are punctuation here when they are ASCII, and not otherwise.
const PIECE = /[!-/:-@[-`{-~]|\p{P}|(?:(?![!-/:-@[-`{-~]|\p{P})\S)+/gu;

/** The words and punctuation marks of a text, ready for the vocabulary. */
export function splitText(text: string, keepsCase = false): string[] {
  return normalize(text, keepsCase).match(PIECE) ?? [];
}

function normalize(text: string, keepsCase: boolean): string {
  if (PLAIN_ASCII.test(text)) return keepsCase ? text : text.toLowerCase();
  const clean = text.toWellFormed().replace(DROPPED, '').replace(CHINESE, ' $& ');
  if (keepsCase) return clean;
  return lowerCase(clean.normalize('NFD').replace(ACCENTS, ''));
}

// Character by character: lower-casing a whole word would make its last sigma a final one, which the vocabulary
// has never seen.
function lowerCase(text: string): string {
  return text.replace(/\p{Changes_When_Lowercased}/gu, (character) => character.toLowerCase());
}
