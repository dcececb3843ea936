import type { Rule, Word } from '../layout/elements.ts';
import { areaOf, type Box, heightOf, holdsCentre, median, unionOf } from '../layout/geometry.ts';
import { type Bitmap, toBitmap, toSharp, whiteOut } from './bitmap.ts';
import { findLetters } from './find-letters.ts';
import { certaintyOf, mergeReadings } from './merge-readings.ts';
import type { Recognizer } from './recognizer.ts';

/** A line that is surer than this is not read again. */
const SURE = 0.87;
const WORD_SURE = 0.6;
/** Lines of fewer pixels are misread with more confidence, and gain most from being enlarged. */
const SMALL = 14;
const SMALL_SURE = 0.96;
/** Fewer pieces of ink than this are no text that was missed. */
const MISSED_MIN = 3;
/** More are the dots of a print or a pattern, and would take long. */
const LETTERS_MAX = 40_000;
/** The recognizer was trained with letters of about this height, without ascenders. */
const LETTER_HEIGHT = 20;
const ENLARGE_MAX = 4;
/** Boxes of words end a little too early, in heights of the word. */
const EDGE = 0.12;
const PIXELS_MAX = 12_000_000;

/**
 * Reads again what the first reading missed or doubts: only letters, evened out, without anything that was drawn, and enlarged
 * where they are small. What is read surer than before replaces it.
 */
export async function readRest(
  even: Bitmap,
  lines: readonly Word[][],
  rules: readonly Rule[],
  recognizer: Recognizer,
): Promise<Word[]> {
  const sure = lines.filter(isSure).flat();
  const doubtful = lines.filter((line) => !isSure(line));
  const rest = withoutRead(even, sure, rules);
  const letters = rest ? findLetters(rest) : [];
  if (!rest || letters.length < MISSED_MIN) return lines.flat();
  const high = median(letters.map(heightOf));
  const crop = aroundOf(unionOf(letters), 2 * high, even);
  const factorMax = Math.min(ENLARGE_MAX, Math.sqrt(PIXELS_MAX / areaOf(crop)));
  const factor = Math.max(1, Math.min(factorMax, LETTER_HEIGHT / high));
  const again = await recognizer.recognize(await enlarge(copyOf(rest, letters), crop, factor));
  const placed = again.map((words) => words.map((word) => place(word, crop, factor)));
  return [...sure, ...mergeReadings(doubtful, placed)];
}

/** Marks are often doubted, as bullets are, and no reason to read the line again. */
function isSure(line: readonly Word[]): boolean {
  const words = line.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  const isSmall = line.every(({ box }) => heightOf(box) < SMALL);
  return (
    certaintyOf(words) >= (isSmall ? SMALL_SURE : SURE) && words.every(({ confidence }) => confidence >= WORD_SURE)
  );
}

function withoutRead(even: Bitmap, read: readonly Word[], rules: readonly Rule[]): Bitmap | undefined {
  const rest: Bitmap = { ...even, data: Buffer.from(even.data) };
  for (const { box } of rules) whiteOut(rest, box, 1);
  const letters = findLetters(rest);
  if (letters.length > LETTERS_MAX) return undefined;
  // Whole letters: a part of one that is left over would be read as another.
  const widened = read.map(({ box }) => ({
    ...box,
    x0: box.x0 - EDGE * heightOf(box),
    x1: box.x1 + EDGE * heightOf(box),
  }));
  for (const letter of letters)
    if (widened.some((box) => holdsCentre(box, letter) || standsIn(letter, box))) whiteOut(rest, letter);
  for (const { box } of read) whiteOut(rest, box, 1);
  return rest;
}

/** Begins or ends inside of it, on the same row: closer than a space would be. */
function standsIn({ x0, y0, x1, y1 }: Box, box: Box): boolean {
  const middle = (y0 + y1) / 2;
  return middle > box.y0 && middle < box.y1 && x0 < box.x1 && x1 > box.x0 && y1 - y0 < 1.2 * heightOf(box);
}

/** The letters and what is close to them: dots, accents and marks. */
function copyOf(picture: Bitmap, letters: readonly Box[]): Bitmap {
  const copy: Bitmap = { ...picture, data: Buffer.alloc(picture.data.length, 255) };
  for (const { x0, y0, x1, y1 } of letters) {
    const [across, down] = [Math.ceil(1.2 * (y1 - y0)), Math.ceil(0.7 * (y1 - y0))];
    const [left, right] = [Math.max(0, x0 - across), Math.min(picture.width, x1 + across)];
    for (let y = Math.max(0, y0 - down); y < Math.min(picture.height, y1 + down); y++)
      picture.data.copy(copy.data, y * picture.width + left, y * picture.width + left, y * picture.width + right);
  }
  return copy;
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
