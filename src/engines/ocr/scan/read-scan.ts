import type { PageContent, Word } from '../layout/elements.ts';
import { areaOf, type Box, heightOf, holdsCentre, widthOf } from '../layout/geometry.ts';
import { type Bitmap, toBitmap, toSharp } from './bitmap.ts';
import { evenOut } from './even-out.ts';
import { findAngle } from './find-angle.ts';
import { findLetters } from './find-letters.ts';
import { findPictures } from './find-pictures.ts';
import { findRules, withoutLineMarks } from './find-rules.ts';
import { certaintyOf } from './merge-readings.ts';
import { readRest } from './read-rest.ts';
import type { Recognizer } from './recognizer.ts';

/** What is read upside down looks like this: hardly a word is certain. */
const DOUBTFUL = 0.68;
/** Words of so many letters are wider than high. */
const LONG_WORD = 4;
/** Shades that differ by less than this are grey. */
const COLOURED = 24;
/** Letters in a picture are part of it; an area with so much sure text is none. */
const TEXT_IN_PICTURE_MAX = 0.04;
const SURE_IN_PICTURE = 0.7;

export type Scan = {
  content: PageContent;
  /** The page as it is read, upright, in the same pixels as the content. */
  upright: Bitmap;
  /** How far it was turned, clockwise. */
  degrees: number;
};

type Attempt = { upright: Bitmap; even: Bitmap; lines: Word[][]; certainty: number; degrees: number };

/**
 * Reads a page that is a picture. The recognizer sees the upright page as it is; only what it then misses or doubts is cleaned
 * and read again, so no cleaning can cost what is legible without it.
 */
export async function readScan(page: Bitmap, dpi: number | undefined, recognizer: Recognizer): Promise<Scan> {
  const even = await evenOut(await toGrey(page));
  const { isSideways, degrees } = findAngle(page, findLetters(even));
  const quarter = isSideways ? 90 : 0;
  const attempt = await readBest();
  const { upright } = attempt;
  const rules = findRules(attempt.even, attempt.lines);
  const read = await readRest(attempt.even, withoutLineMarks(attempt.lines, rules), rules, recognizer);
  const { pictures, words } = partPictures(findPictures(await toGrey(upright)), read);
  const content = { width: upright.width, height: upright.height, words, rules, pictures, isScan: true };
  return { content, upright, degrees: attempt.degrees };

  async function readBest(): Promise<Attempt> {
    const first = await readAt(quarter);
    // The recognizer reads some text that runs down the page, but its lines would be columns.
    if (runsDown(first.lines)) return readAt(quarter + 270);
    if (first.certainty >= DOUBTFUL || (first.lines.length === 0 && !isSideways)) return first;
    const turned = await readAt(quarter + 180);
    return turned.certainty > first.certainty ? turned : first;
  }

  async function readAt(turn: number): Promise<Attempt> {
    const upright = await straighten(page, turn, degrees);
    const lines = await recognizer.recognize(await toReadable(upright), dpi);
    const isUnturned = upright === page;
    return {
      upright,
      even: isUnturned ? even : await evenOut(await toGrey(upright)),
      lines,
      certainty: certaintyOf(lines.flat()),
      degrees: turn,
    };
  }
}

function runsDown(lines: readonly Word[][]): boolean {
  const long = lines.flat().filter(({ text, confidence }) => text.length >= LONG_WORD && confidence >= DOUBTFUL);
  const tall = long.filter(({ box }) => heightOf(box) > widthOf(box));
  return long.length > 0 && tall.length > 0.6 * long.length;
}

async function straighten(page: Bitmap, quarter: number, degrees: number): Promise<Bitmap> {
  if (quarter === 0 && degrees === 0) return page;
  const turned = quarter === 0 ? page : await toBitmap(toSharp(page).rotate(quarter));
  return degrees === 0 ? turned : toBitmap(toSharp(turned).rotate(-degrees, { background: '#fff' }));
}

async function toGrey(page: Bitmap): Promise<Bitmap> {
  return toBitmap(toSharp(page).flatten({ background: '#fff' }).toColourspace('b-w'));
}

/** In colours where there are any: letters and paper of different hues may be equally bright. */
async function toReadable(page: Bitmap): Promise<Bitmap> {
  return isColoured(page) ? toBitmap(toSharp(page).flatten({ background: '#fff' })) : toGrey(page);
}

function isColoured({ data, channels }: Bitmap): boolean {
  if (channels === 1) return false;
  for (let i = 0; i + 2 < data.length; i += channels) {
    const [red, green, blue] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > COLOURED) return true;
  }
  return false;
}

/** Areas with text in them are coloured paper. In true pictures only sure words are words. */
function partPictures(areas: Box[], words: Word[]): { pictures: Box[]; words: Word[] } {
  const pictures = areas.filter((area) => {
    const inside = words.filter(({ box, confidence }) => confidence >= SURE_IN_PICTURE && holdsCentre(area, box));
    return inside.reduce((sum, { box }) => sum + areaOf(box), 0) < TEXT_IN_PICTURE_MAX * areaOf(area);
  });
  return {
    pictures,
    words: words.filter(
      ({ box, confidence }) => confidence >= SURE_IN_PICTURE || !pictures.some((picture) => holdsCentre(picture, box)),
    ),
  };
}
