import type { Rule, Word } from '../layout/elements.ts';
import { areaOf, type Box, heightOf, holdsCentre, overlapOf, widthOf } from '../layout/geometry.ts';
import type { Bitmap } from './bitmap.ts';
import { findLinesOfInk } from './find-lines-of-ink.ts';

/** A word of at least this certainty is made of letters, and its strokes are none of the page's lines. */
const CERTAIN = 0.6;
/** Stems and bars are no longer than this, in heights of their word. */
const STROKE_MAX = 1.4;
/** What a recognizer makes of lines. */
const LINE_MARKS = /^[|_—–\-=~.:¦[\]]+$/u;

/** The lines that were drawn on a page: what is long and thin and no part of a word that was read. */
export function findRules(even: Bitmap, lines: readonly Word[][]): Rule[] {
  const words = lines.flat().filter(({ confidence, text }) => confidence >= CERTAIN && !LINE_MARKS.test(text));
  return findLinesOfInk(even).filter(({ box, isHorizontal }) => {
    const length = isHorizontal ? widthOf(box) : heightOf(box);
    return !words.some((word) => length <= STROKE_MAX * heightOf(word.box) && holdsCentre(word.box, box));
  });
}

/** Without words that are only lines misread. */
export function withoutLineMarks(lines: readonly Word[][], rules: readonly Rule[]): Word[][] {
  return lines
    .map((words) => words.filter(({ text, box }) => !(LINE_MARKS.test(text) && rules.some((rule) => meets(rule, box)))))
    .filter((words) => words.length > 0);
}

const meets = ({ box }: Rule, word: Box) => overlapOf(box, word) > 0.3 * Math.min(areaOf(box), areaOf(word));
