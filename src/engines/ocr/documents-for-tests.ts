import { createCanvas } from '@napi-rs/canvas';
import { degrees, PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from 'pdf-lib';
import sharp from 'sharp';
import { openPdf } from './pdf/open-pdf.ts';
import { loadPdfium, type Pdfium } from './pdf/pdfium.ts';
import { renderPage } from './pdf/render-page.ts';
import { toSharp } from './scan/bitmap.ts';

const [WIDTH, HEIGHT] = [595, 842];
const MARGIN = 60;

/** Sentences with every letter, digits and marks; no two alike, so that a line that is lost or doubled shows. */
export const SENTENCES = [
  'The quick brown fox jumps over the lazy dog near the river bank.',
  'Pack my box with five dozen liquor jugs, then send it to Zurich by rail.',
  'In 1987 the harbour froze (for the first time in 40 years) and ships waited.',
  'Sphinx of black quartz, judge my vow: nothing here was written in haste.',
  'How vexingly quick daft zebras jump when the morning bells begin to ring!',
  'A committee of seven met on Tuesday to weigh the cost of every bridge.',
  'Bright vixens jump; dozy fowl quack while the miller counts his sacks.',
  'Nobody expected the old clock to strike thirteen, yet it did so twice.',
];

export async function makePdf(draw: (pdf: PDFDocument, fonts: Fonts) => void | Promise<void>): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  await draw(pdf, {
    plain: await pdf.embedFont(StandardFonts.Helvetica),
    bold: await pdf.embedFont(StandardFonts.HelveticaBold),
    mono: await pdf.embedFont(StandardFonts.Courier),
  });
  return pdf.save();
}

export type Fonts = { plain: PDFFont; bold: PDFFont; mono: PDFFont };

/** Lines one under the other from `top`, in points from the upper edge; answers where the next would stand. */
export function writeLines(
  page: PDFPage,
  font: PDFFont,
  lines: readonly string[],
  { x = MARGIN, top = MARGIN, size = 11 } = {},
): number {
  const pitch = size * 1.3;
  const { height } = page.getSize();
  for (const [i, line] of lines.entries()) page.drawText(line, { x, y: height - top - size - i * pitch, size, font });
  return top + lines.length * pitch;
}

export const newPage = (pdf: PDFDocument): PDFPage => pdf.addPage([WIDTH, HEIGHT]);

/** A table with lines around its cells. */
export function drawGrid(
  page: PDFPage,
  font: PDFFont,
  rows: readonly string[][],
  { x = MARGIN, top = 200, cell = 120, row = 22 } = {},
): void {
  const { height } = page.getSize();
  const columns = rows[0]?.length ?? 0;
  const line = (x0: number, y0: number, x1: number, y1: number) =>
    page.drawLine({
      start: { x: x0, y: height - y0 },
      end: { x: x1, y: height - y1 },
      thickness: 0.8,
      color: rgb(0, 0, 0),
    });
  for (let r = 0; r <= rows.length; r++) line(x, top + r * row, x + columns * cell, top + r * row);
  for (let c = 0; c <= columns; c++) line(x + c * cell, top, x + c * cell, top + rows.length * row);
  for (const [r, cells] of rows.entries())
    for (const [c, text] of cells.entries())
      page.drawText(text, { x: x + c * cell + 6, y: height - top - r * row - 15, size: 10, font });
}

/** A picture of its own colours, as PNG. */
export function makePicture(width = 200, height = 120): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#2a6f97';
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#e9c46a';
  context.beginPath();
  context.arc(width / 2, height / 2, height / 3, 0, 2 * Math.PI);
  context.fill();
  return canvas.toBuffer('image/png');
}

/** What is drawn on, in pixels from the upper left corner. */
export type Paper = {
  /** One under the other; answers where the next would stand. `y` is the foot of the first. */
  lines(lines: readonly string[], place?: { x?: number; y?: number; size?: number }): number;
  rectangle(x: number, y: number, width: number, height: number): void;
  stroke(x0: number, y0: number, x1: number, y1: number): void;
};

const POINTS_PER_PIXEL = 72 / 200;
const MEMORY_MIB = 512;
let pdfium: Promise<Pdfium> | undefined;

/** A page as a scanner sees it. Painted by PDFium, which brings its own letters: machines have different ones, or none. */
export async function paintPage(draw: (paper: Paper) => void, { width = 1240, height = 900 } = {}): Promise<Buffer> {
  const points = (pixels: number) => pixels * POINTS_PER_PIXEL;
  const bytes = await makePdf((document, { plain }) => {
    const page = document.addPage([points(width), points(height)]);
    draw({
      lines(lines, { x = 100, y = 120, size = 30 } = {}) {
        const pitch = size * 1.45;
        for (const [i, line] of lines.entries())
          page.drawText(line, { x: points(x), y: points(height - y - i * pitch), size: points(size), font: plain });
        return y + lines.length * pitch;
      },
      rectangle: (x, y, wide, high) =>
        page.drawRectangle({
          x: points(x),
          y: points(height - y - high),
          width: points(wide),
          height: points(high),
          color: rgb(0.16, 0.43, 0.59),
        }),
      stroke: (x0, y0, x1, y1) =>
        page.drawLine({
          start: { x: points(x0), y: points(height - y0) },
          end: { x: points(x1), y: points(height - y1) },
          thickness: points(2),
        }),
    });
  });
  pdfium ??= loadPdfium(MEMORY_MIB);
  const pdf = openPdf(await pdfium, bytes, Infinity);
  const page = pdf.open(0);
  const painted = renderPage(page);
  page.close();
  pdf.close();
  return toSharp(painted).flatten({ background: '#fff' }).png().toBuffer();
}

/** Dust, uneven light and a sheet that was laid in askew. */
export async function makeNoisy(png: Buffer, { turn = 0, dust = 0.004, seed = 7 } = {}): Promise<Buffer> {
  const { data, info } = await sharp(png)
    .grayscale()
    .rotate(turn, { background: '#fff' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const next = randomNumbers(seed);
  for (let i = 0; i < data.length; i++) {
    const shade = 235 + Math.floor(next() * 20);
    data[i] = Math.round(((data[i] as number) * shade) / 255);
    if (next() < dust) data[i] = next() < 0.5 ? 0 : 255;
  }
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 1 } })
    .png()
    .toBuffer();
}

/** The same at every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export { degrees };

/** Letters to change for each letter that should have been read, spaces and marks of Markdown aside. */
export function errorRate(read: string, truth: string): number {
  const [a, b] = [read, truth].map((text) => [
    ...text
      .replace(/!\[.*?\]\(.*?\)|[#|*`]|---+|^\s*-\s/gm, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ]) as [string[], string[]];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of a.entries()) {
    const next = [i + 1];
    for (const [j, other] of b.entries())
      next.push(
        Math.min((row[j] as number) + (letter === other ? 0 : 1), (row[j + 1] as number) + 1, (next[j] as number) + 1),
      );
    row = next;
  }
  return (row.at(-1) as number) / Math.max(1, b.length);
}
