import type { Rule, Word } from '../layout/elements.ts';
import { areaOf, type Box, heightOf, holdsCentre, median, overlapOf, unionOf } from '../layout/geometry.ts';
import { type Bitmap, toBitmap, toSharp, whiteOut } from './bitmap.ts';
import { findLetters } from './find-letters.ts';
import type { Recognizer } from './recognizer.ts';

/** A line that is surer than this is not read again. */
const SURE = 0.87;
const WORD_SURE = 0.6;
/** Lines of fewer pixels are misread with more confidence, and gain most from being enlarged. */
const SMALL = 17;
const SMALL_SURE = 0.96;
/** Fewer pieces of ink than this are no text that was missed. */
const MISSED_MIN = 3;
/** The recognizer was trained with letters of about this height, without ascenders. */
const LETTER_HEIGHT = 22;
const ENLARGE_MAX = 4;
const PIXELS_MAX = 12_000_000;
/** A line that only the second reading has must be surer than this. */
const NEW_SURE = 0.55;
/** The first reading saw the page as it is, and is only given up for one that is clearly surer. */
const BETTER = 1.03;

/**
 * Reads again what the first reading missed or doubts, evened out, without drawn lines, and enlarged where letters are small.
 * Of what both have read the surer reading counts, line by line.
 */
export async function readRest(
  even: Bitmap,
  lines: readonly Word[][],
  rules: readonly Rule[],
  recognizer: Recognizer,
): Promise<Word[][]> {
  const sure = lines.filter(isSure);
  const doubtful = lines.filter((line) => !isSure(line));
  const rest: Bitmap = { ...even, data: Buffer.from(even.data) };
  for (const { box } of rules) whiteOut(rest, box, 1);
  const read = sure.flat();
  // Whole letters: a part of one that is left over would be read as another.
  for (const letter of findLetters(rest)) if (read.some(({ box }) => holdsCentre(box, letter))) whiteOut(rest, letter);
  for (const { box } of read) whiteOut(rest, box, 1);
  const letters = findLetters(rest);
  if (letters.length < MISSED_MIN && doubtful.length === 0) return [...lines];
  if (letters.length === 0) return [...lines];
  const high = median(letters.map(heightOf));
  const crop = aroundOf(unionOf(letters), 2 * high, even);
  const factor = Math.min(
    ENLARGE_MAX,
    Math.max(1, LETTER_HEIGHT / high),
    Math.max(1, Math.sqrt(PIXELS_MAX / areaOf(crop))),
  );
  const picture = await enlarge(rest, crop, factor);
  const again = await recognizer.recognize(picture);
  const placed = again.map((words) => words.map((word) => place(word, crop, factor)));
  return [...sure, ...chooseLines(doubtful, placed)];
}

function isSure(line: readonly Word[]): boolean {
  const isSmall = line.every(({ box }) => heightOf(box) < SMALL);
  return certaintyOf(line) >= (isSmall ? SMALL_SURE : SURE) && line.every(({ confidence }) => confidence >= WORD_SURE);
}

/** Weighed by letters. */
export function certaintyOf(words: readonly Word[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return letters === 0 ? 0 : words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / letters;
}

function aroundOf({ x0, y0, x1, y1 }: Box, margin: number, { width, height }: Bitmap): Box {
  return {
    x0: Math.max(0, Math.floor(x0 - margin)),
    y0: Math.max(0, Math.floor(y0 - margin)),
    x1: Math.min(width, Math.ceil(x1 + margin)),
    y1: Math.min(height, Math.ceil(y1 + margin)),
  };
}

async function enlarge(picture: Bitmap, { x0, y0, x1, y1 }: Box, factor: number): Promise<Bitmap> {
  const cut = toSharp(picture).extract({ left: x0, top: y0, width: x1 - x0, height: y1 - y0 });
  const large = factor > 1 ? cut.resize({ width: Math.round((x1 - x0) * factor), kernel: 'cubic' }) : cut;
  return toBitmap(large.toColourspace('b-w'));
}

function place(word: Word, { x0, y0 }: Box, factor: number): Word {
  const { box, size } = word;
  return {
    ...word,
    size: size / factor,
    box: {
      x0: x0 + box.x0 / factor,
      y0: y0 + box.y0 / factor,
      x1: x0 + box.x1 / factor,
      y1: y0 + box.y1 / factor,
    },
  };
}

type Group = { first: Word[][]; second: Word[][]; box: Box };

/** Lines of both that lie over each other compete; the ones that gained more count. */
function chooseLines(first: readonly Word[][], second: readonly Word[][]): Word[][] {
  let groups: Group[] = [];
  const add = (line: Word[], side: 'first' | 'second') => {
    const box = unionOf(line.map((word) => word.box));
    const touched = groups.filter((group) => [...group.first, ...group.second].some((other) => lieOver(other, line)));
    const joined: Group = { first: [], second: [], box: unionOf([box, ...touched.map((group) => group.box)]) };
    for (const group of touched) {
      joined.first.push(...group.first);
      joined.second.push(...group.second);
    }
    joined[side].push(line);
    groups = [...groups.filter((group) => !touched.includes(group)), joined];
  };
  for (const line of first) if (line.length > 0) add(line, 'first');
  for (const line of second) if (line.length > 0) add(line, 'second');
  return groups.flatMap((group) => {
    if (group.first.length === 0) return group.second.filter((line) => certaintyOf(line) >= NEW_SURE);
    return gainOf(group.second) > BETTER * gainOf(group.first) ? group.second : group.first;
  });
}

function lieOver(one: readonly Word[], other: readonly Word[]): boolean {
  return one.some(({ box: a }) => other.some(({ box: b }) => overlapOf(a, b) > 0.3 * Math.min(areaOf(a), areaOf(b))));
}

/** Letters count by how much surer than a guess they are; guesses count against a reading. */
function gainOf(lines: readonly Word[][]): number {
  return lines.flat().reduce((sum, { text, confidence }) => sum + text.length * (confidence - 0.5), 0);
}
