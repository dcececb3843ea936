import type { Line, Word } from '../layout/elements.ts';
import { unionOf } from '../layout/geometry.ts';
import { join, literally, nothing, type Written } from './pieces.ts';

const WORD_END_HYPHEN = /\p{Ll}[-\u00ad\u2010]$/u;
const LOWER_CASE = /^\p{Ll}/u;

type Escape = (text: string) => string;
const asItIs: Escape = (text) => text;

/** The lines as one paragraph. A word that was parted at the end of a line is one again. */
export function writeParagraph(lines: readonly Line[], escapeText: Escape = asItIs): Written {
  const parts: Written[] = [];
  const words = lines.flatMap((line, at) =>
    line.words.map((word, i) => ({ word, endsLine: i === line.words.length - 1 && at < lines.length - 1 })),
  );
  for (const [i, { word, endsLine }] of words.entries()) {
    const next = words[i + 1]?.word;
    const isParted = endsLine && next && WORD_END_HYPHEN.test(word.text) && LOWER_CASE.test(next.text);
    parts.push(writeWord(word, escapeText, isParted ? word.text.slice(0, -1) : word.text));
    if (next && !isParted) parts.push(literally(isWideScript(word, next) ? '' : ' '));
  }
  return parts.length > 0 ? join(parts) : nothing();
}

/** Every line on a line of its own, as code has it. */
export function writeLines(lines: readonly Line[]): Written {
  const left = unionOf(lines.map(({ box }) => box)).x0;
  return join(
    lines.map((line) => {
      const letter = line.size * 0.6;
      const indent = letter > 0 ? Math.round((line.box.x0 - left) / letter) : 0;
      return join([literally(' '.repeat(Math.max(0, indent))), writeParagraph([line])]);
    }),
    '\n',
  );
}

function writeWord({ confidence }: Word, escapeText: Escape, text: string): Written {
  const shown = escapeText(text);
  return { text: shown, words: [{ text: shown, confidence, start_index: 0 }] };
}

/** Chinese and Japanese have no spaces between words. */
function isWideScript(word: Word, next: Word): boolean {
  return (
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(word.text) &&
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(next.text)
  );
}
