import type { PageContent, Word } from '../layout/elements.ts';
import type { Box } from '../layout/geometry.ts';
import { type Bitmap, toBitmap, toSharp, whiteOut } from './bitmap.ts';
import { type Angle, findAngle } from './find-angle.ts';
import { findLinesOfInk } from './find-lines-of-ink.ts';
import { findPictures } from './find-pictures.ts';
import type { Recognizer } from './recognizer.ts';

const DARK = 128;
const SPECKLED = 0.06;
/** Every third row is enough. */
const STEP = 3;
/** The recognizer was trained with letters of this resolution; smaller pictures are enlarged first. */
const SIDE_MIN = 1600;
const ENLARGE_MAX = 3;
/** What is read upside down looks like this: hardly a word is certain. */
const DOUBTFUL = 0.68;

export type Scan = {
  content: PageContent;
  /** The page as it is read, upright, in the same pixels as the content. */
  upright: Bitmap;
  /** How far it was turned, clockwise. */
  degrees: number;
};

/** Reads a page that is a picture: upright and straight first, without the lines of tables, and without its pictures. */
export async function readScan(page: Bitmap, dpi: number, recognizer: Recognizer): Promise<Scan> {
  const angle = await findAngle(await toGrey(page));
  const first = await read(page, angle, 0);
  if (first.certainty >= DOUBTFUL || (first.content.words.length === 0 && !angle.isSideways)) return first;
  const turned = await read(page, angle, 180);
  return turned.certainty > first.certainty ? turned : first;

  async function read(
    source: Bitmap,
    { isSideways, degrees }: Angle,
    turn: number,
  ): Promise<Scan & { certainty: number }> {
    const quarter = (isSideways ? 90 : 0) + turn;
    const upright = await straighten(source, quarter, degrees);
    const factor = Math.min(ENLARGE_MAX, Math.max(1, SIDE_MIN / Math.max(upright.width, upright.height)));
    const grey = await prepare(upright, factor);
    const pictures = findPictures(grey);
    for (const picture of pictures) whiteOut(grey, picture);
    const rules = findLinesOfInk(grey);
    for (const { box } of rules) whiteOut(grey, box, 1);
    const words = await recognizer.recognize(grey, Math.round(dpi * factor));
    const shrink = (box: Box): Box => ({
      x0: box.x0 / factor,
      y0: box.y0 / factor,
      x1: box.x1 / factor,
      y1: box.y1 / factor,
    });
    const content: PageContent = {
      width: upright.width,
      height: upright.height,
      words: words.map((word) => ({ ...word, box: shrink(word.box), size: word.size / factor })),
      rules: rules.map(({ isHorizontal, box }) => ({ isHorizontal, box: shrink(box) })),
      pictures: pictures.map(shrink),
      isScan: true,
    };
    return { content, upright, degrees: quarter, certainty: certaintyOf(words) };
  }
}

async function straighten(page: Bitmap, quarter: number, degrees: number): Promise<Bitmap> {
  if (quarter === 0 && degrees === 0) return page;
  const turned = quarter === 0 ? page : await toBitmap(toSharp(page).rotate(quarter));
  return degrees === 0 ? turned : toBitmap(toSharp(turned).rotate(-degrees, { background: '#fff' }));
}

async function toGrey(page: Bitmap): Promise<Bitmap> {
  return toBitmap(toSharp(page).flatten({ background: '#fff' }).toColourspace('b-w'));
}

async function prepare(page: Bitmap, factor: number): Promise<Bitmap> {
  const grey = await toGrey(page);
  // Dust is a pixel wide before anything is enlarged.
  let image = isSpeckled(grey) ? toSharp(grey).median(3) : toSharp(grey);
  if (factor > 1) image = image.resize({ width: Math.round(page.width * factor), kernel: 'cubic' });
  return toBitmap(image.normalise().toColourspace('b-w'));
}

function certaintyOf(words: readonly Word[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return letters === 0 ? 0 : words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / letters;
}

/** Whether many dark pixels stand alone, as dust and bad sensors leave them and letters do not. */
function isSpeckled({ data, width, height }: Bitmap): boolean {
  const isDark = (at: number) => ((data[at] as number) < DARK ? 1 : 0);
  let [dark, alone] = [0, 0];
  for (let y = 1; y < height - 1; y += STEP)
    for (let at = y * width + 1; at < (y + 1) * width - 1; at++) {
      if (!isDark(at)) continue;
      dark++;
      if (isDark(at - 1) + isDark(at + 1) + isDark(at - width) + isDark(at + width) <= 1) alone++;
    }
  return dark > 0 && alone / dark > SPECKLED;
}
