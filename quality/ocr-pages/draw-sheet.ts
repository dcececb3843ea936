import { type Color, PDFDocument, type PDFFont, rgb, StandardFonts } from 'pdf-lib';
import { openPdf } from '../../src/engines/ocr/pdf/open-pdf.ts';
import { loadPdfium, type Pdfium } from '../../src/engines/ocr/pdf/pdfium.ts';
import { renderPage } from '../../src/engines/ocr/pdf/render-page.ts';
import { type Bitmap, toBitmap, toSharp } from '../../src/engines/ocr/scan/bitmap.ts';

const MEMORY_MIB = 1024;
/** As much larger than `PdfPage` as a reader paints what it recognizes. */
const RECOGNITION_FACTOR = 1.5;

const FONTS = {
  sans: StandardFonts.Helvetica,
  bold: StandardFonts.HelveticaBold,
  serif: StandardFonts.TimesRoman,
  italic: StandardFonts.TimesRomanItalic,
  mono: StandardFonts.Courier,
} as const;
export type FontName = keyof typeof FONTS;
type Place = { x: number; y: number; size: number; font?: FontName; color?: Color; width?: number };

/** A sheet from its upper left corner, in units that become pixels when it is painted. */
export type Sheet = {
  width: number;
  height: number;
  /** Text from the top `y`, in lines of `width`; answers where the next would begin. */
  text(text: string, place: Place): number;
  /** The same, ending at `x`. */
  textTo(text: string, place: Place): number;
  line(x0: number, y0: number, x1: number, y1: number, thickness?: number): void;
  box(x: number, y: number, width: number, height: number, color: Color): void;
};

export type Drawn = { pdf: Uint8Array; truth: string; width: number; height: number };

/** Draws with the fonts that PDFium brings along, so that every machine has the same pixels. */
export async function drawSheet(width: number, height: number, draw: (sheet: Sheet) => void): Promise<Drawn> {
  const document = await PDFDocument.create();
  const page = document.addPage([width, height]);
  const fonts = {} as Record<FontName, PDFFont>;
  for (const name of Object.keys(FONTS) as FontName[]) fonts[name] = await document.embedFont(FONTS[name]);
  const said: string[] = [];

  const put = (text: string, { x, y, size, font = 'sans', color = rgb(0, 0, 0) }: Place) =>
    page.drawText(text, { x, y: height - y - size, size, font: fonts[font], color });
  draw({
    width,
    height,
    text(text, place) {
      said.push(text);
      const lines = place.width ? wrap(text, fonts[place.font ?? 'sans'], place.size, place.width) : [text];
      for (const [i, line] of lines.entries()) put(line, { ...place, y: place.y + i * place.size * 1.35 });
      return place.y + lines.length * place.size * 1.35;
    },
    textTo(text, place) {
      said.push(text);
      put(text, { ...place, x: place.x - fonts[place.font ?? 'sans'].widthOfTextAtSize(text, place.size) });
      return place.y + place.size * 1.35;
    },
    line: (x0, y0, x1, y1, thickness = 1) =>
      page.drawLine({ start: { x: x0, y: height - y0 }, end: { x: x1, y: height - y1 }, thickness }),
    box: (x, y, wide, high, color) => page.drawRectangle({ x, y: height - y - high, width: wide, height: high, color }),
  });
  return { pdf: await document.save(), truth: said.join('\n'), width, height };
}

function wrap(text: string, font: PDFFont, size: number, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && font.widthOfTextAtSize(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

let pdfium: Promise<Pdfium> | undefined;

/** In colours, `scale` pixels for each unit; without it as the engine paints a page that it must recognize. */
export async function paint(pdf: Uint8Array, units?: { width: number; scale: number }): Promise<Bitmap> {
  pdfium ??= loadPdfium(MEMORY_MIB);
  const opened = openPdf(await pdfium, pdf, Infinity);
  const page = opened.open(0);
  try {
    const factor = units ? (units.width * units.scale) / page.width : RECOGNITION_FACTOR;
    return await toBitmap(toSharp(renderPage(page, factor)).flatten({ background: '#fff' }));
  } finally {
    page.close();
    opened.close();
  }
}

/** A page of a PDF that is nothing but this picture, so many inches wide that it has `dpi`. */
export async function pictureInPdf(png: Buffer, { width, height }: Bitmap, dpi: number): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const page = document.addPage([(width * 72) / dpi, (height * 72) / dpi]);
  page.drawImage(await document.embedPng(png), { x: 0, y: 0, ...page.getSize() });
  return document.save();
}
