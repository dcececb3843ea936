import type { Word } from '../layout/elements.ts';
import { type Box, unionOf } from '../layout/geometry.ts';
import { applyToBox } from './affine.ts';
import { directionOf } from './find-turns.ts';
import type { PdfPage } from './pdf-page.ts';
import { withMemory } from './pdfium.ts';

const BOLD_WEIGHT = 600;
const FONT_NAME_BYTES = 128;
const TURNED_RADIANS = 0.3;
/** Hyphens that the library adds or keeps at the end of a line. */
const HYPHENS = new Set([0x02, 0xad, 0xfffe]);

type Font = { isBold: boolean; isMono: boolean; isMath: boolean };
type Letter = { text: string; box: Box; size: number; font: Font; isTurned: boolean };

export type PageText = {
  words: Word[];
  letters: number;
  /** Letters without a Unicode mapping in the file. */
  unknownLetters: number;
};

/** The words of the text layer with their positions. */
export function readWords(opened: PdfPage): PageText {
  const { pdfium, page } = opened;
  const textPage = pdfium._FPDFText_LoadPage(page);
  if (!textPage) return { words: [], letters: 0, unknownLetters: 0 };
  try {
    return withMemory(pdfium, FONT_NAME_BYTES, (nameAt) => read(opened, textPage, nameAt));
  } finally {
    pdfium._FPDFText_ClosePage(textPage);
  }
}

function read(opened: PdfPage, textPage: number, nameAt: number): PageText {
  const { pdfium, scratch, toPixels } = opened;
  const scale = Math.hypot(toPixels[0], toPixels[1]);
  const count = pdfium._FPDFText_CountChars(textPage);
  const words: Word[] = [];
  let letters: Letter[] = [];
  let known = { object: -1, size: 0, font: { isBold: false, isMono: false, isMath: false }, isTurned: false };
  let [seen, unknownLetters] = [0, 0];
  const finish = () => {
    if (letters.length > 0) words.push(wordOf(letters));
    letters = [];
  };
  for (let i = 0; i < count; i++) {
    const code = pdfium._FPDFText_GetUnicode(textPage, i) >>> 0;
    const text = HYPHENS.has(code) ? '-' : String.fromCodePoint(code <= 0x10ffff ? code : 0xfffd);
    if (code === 0 || /\s/u.test(text)) {
      finish();
      continue;
    }
    const object = pdfium._FPDFText_GetTextObject(textPage, i);
    if (object !== known.object) known = describe(object, i);
    const { pointer } = scratch;
    if (!pdfium._FPDFText_GetCharBox(textPage, i, pointer, pointer + 8, pointer + 16, pointer + 24)) continue;
    const box = applyToBox(toPixels, scratch.double(0), scratch.double(16), scratch.double(8), scratch.double(24));
    seen++;
    if (code === 0xfffd || (code >= 0xe000 && code <= 0xf8ff)) unknownLetters++;
    const last = letters.at(-1);
    if (last && !isNext(last, box, known.size, known.isTurned)) finish();
    letters.push({ text, box, size: known.size, font: known.font, isTurned: known.isTurned });
  }
  finish();
  return { words, letters: seen, unknownLetters };

  function describe(object: number, i: number): typeof known {
    const length = pdfium._FPDFText_GetFontInfo(textPage, i, nameAt, FONT_NAME_BYTES, scratch.pointer);
    const end = Math.min(Math.max(length - 1, 0), FONT_NAME_BYTES - 1);
    const name = Buffer.from(pdfium.HEAPU8.subarray(nameAt, nameAt + end)).toString('latin1');
    const weight = pdfium._FPDFText_GetFontWeight(textPage, i);
    return {
      object,
      size: sizeOf(object, i) * scale,
      font: fontOf(name, weight),
      isTurned: Math.abs(directionOf(pdfium, textPage, i, toPixels)) > TURNED_RADIANS,
    };
  }

  /** The size of a font is multiplied by the matrix of what it is written with. */
  function sizeOf(object: number, i: number): number {
    const size = pdfium._FPDFText_GetFontSize(textPage, i);
    if (object === 0 || !pdfium._FPDFPageObj_GetMatrix(object, scratch.pointer)) return size;
    const factor = Math.hypot(scratch.float(8), scratch.float(12));
    return factor > 0 ? size * factor : size;
  }
}

function fontOf(name: string, weight: number): Font {
  return {
    isBold: weight >= BOLD_WEIGHT || /bold|black|heavy|semibold/i.test(name),
    isMono: /mono|courier|consol|typewriter|cmtt/i.test(name),
    isMath: /math|cmmi|cmsy|cmex/i.test(name),
  };
}

/** Letters of a word stand side by side; where the file has no space, a gap is one. */
function isNext(last: Letter, box: Box, size: number, isTurned: boolean): boolean {
  if (isTurned || last.isTurned) return isTurned === last.isTurned;
  const gap = box.x0 - last.box.x1;
  const isOneRow = box.y0 < last.box.y1 + 0.6 * size && box.y1 > last.box.y0 - 0.6 * size;
  return isOneRow && gap < 0.6 * size && gap > -1.5 * size;
}

function wordOf(letters: Letter[]): Word {
  const [first] = letters as [Letter, ...Letter[]];
  const box = unionOf(letters.map((letter) => letter.box));
  // Letters without ink above or below make flat boxes; a line is as high as its font.
  const middle = (box.y0 + box.y1) / 2;
  const half = Math.max((box.y1 - box.y0) / 2, first.isTurned ? 0 : 0.3 * first.size);
  return {
    text: letters
      .map(({ text }) => text)
      .join('')
      .normalize('NFKC'),
    box: { ...box, y0: middle - half, y1: middle + half },
    size: first.size,
    ...first.font,
    isTurned: first.isTurned,
    confidence: 1,
  };
}
