import type { LineRule } from './finding.ts';

const QUICK = /[^\t\n\r\f\x20-\x7e]/;

// Invisible characters without meaning in running text.
const ALWAYS = new RegExp(
  [
    '[\\x00-\\x08\\x0b\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]', // control characters, terminal escapes among them
    '[\\u202a-\\u202e\\u2066-\\u2069\\u206a-\\u206f]', // overrides of the writing direction
    '[\\u200b\\u2060-\\u2064\\u180e\\ufff9-\\ufffb]', // zero width, invisible operators, annotations
    '[\\u115f\\u1160\\u3164\\uffa0]', // blank letters
    '[\\u{1d173}-\\u{1d17a}]',
  ].join('|'),
  'u',
);

// Joiners are legitimate in emoji and in scripts that join letters.
const JOINER =
  /(?<![\p{Emoji_Modifier}\p{Extended_Pictographic}\p{L}\p{M}])[\u200c\u200d]|(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\u200c\u200d]|[\u200c\u200d]{2}/u;

// The only legitimate use of tags is a flag: a black flag, three to six letters or digits, the cancel tag.
const FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu;
const TAG = /[\u{e0000}-\u{e007f}]/u;

// A variation selector applies to the one character before it. Two in a row, or one after nothing, are hidden data.
const SELECTOR =
  /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2}|(?<![\p{Script=Han}])[\u{e0100}-\u{e01ef}]|(?<![^\s\p{Script=Latin}\p{Cc}])[\ufe00-\ufe0f]/u;

const BYTE_ORDER_MARK = /\ufeff/;

/** Text that a model reads and a reviewer cannot see. */
export const findHiddenUnicode: LineRule = (lines) =>
  lines.filter(({ text, line }) => hidesText(line === 1 ? text.replace(/^\ufeff/, '') : text)).map(({ line }) => line);

function hidesText(text: string): boolean {
  if (!QUICK.test(text)) return false;
  if (ALWAYS.test(text) || BYTE_ORDER_MARK.test(text) || JOINER.test(text) || SELECTOR.test(text)) return true;
  return TAG.test(text.replace(FLAG, ''));
}
