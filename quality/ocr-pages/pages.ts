import { toSharp } from '../../src/engines/ocr/scan/bitmap.ts';
import { type Damage, dusty, faded, grainy, photographed, turned } from './damage.ts';
import { type Drawn, paint, pictureInPdf } from './draw-sheet.ts';
import {
  form,
  headings,
  invoice,
  letter,
  oneSize,
  receipt,
  shortInvoice,
  slide,
  table,
  twoColumns,
} from './layouts.ts';
import type { LanguageCode } from './texts.ts';

export type Page = {
  name: string;
  kind: string;
  language: LanguageCode;
  make(): Promise<MadePage>;
};

type MadePage = {
  truth: string;
  /** What a user sends: PNG, JPEG or PDF. */
  document: Uint8Array;
  /** What bare Tesseract gets: the same file, or the page of the PDF as the engine paints it. */
  picture: Uint8Array;
};

type Form = {
  /** Pixels to the inch for a sheet in points; without it a unit is a pixel, and the file names no resolution. */
  dpi?: number;
  damage?: Damage;
  file?: 'png' | 'jpeg';
  /** As a picture in a PDF, at so many dots to the inch. */
  pdfDpi?: number;
};

const POINTS_PER_INCH = 72;

function page(name: string, language: LanguageCode, drawn: () => Promise<Drawn>, form: Form = {}): Page {
  return { name, kind: name.split(',')[0] as string, language, make: async () => makePage(await drawn(), form) };
}

async function makePage(drawn: Drawn, { dpi, damage, file = 'png', pdfDpi }: Form): Promise<MadePage> {
  const scale = dpi ? dpi / POINTS_PER_INCH : 1;
  const painted = await paint(drawn.pdf, { width: drawn.width, scale });
  const bitmap = damage ? await damage(painted) : painted;
  const image = dpi ? toSharp(bitmap).withMetadata({ density: dpi }) : toSharp(bitmap);
  const bytes = await (file === 'jpeg' ? image.jpeg({ quality: 85 }) : image.png()).toBuffer();
  if (!pdfDpi) return { truth: drawn.truth, document: bytes, picture: bytes };
  const document = await pictureInPdf(bytes, bitmap, pdfDpi);
  const shown = toSharp(await paint(document)).withMetadata({ density: 300 });
  return { truth: drawn.truth, document, picture: await shown.png().toBuffer() };
}

/** Every kind of page that the engine promises to read at least as well as the recognizer alone. */
export const PAGES: Page[] = [
  page('short invoice, 48 px', 'eng', shortInvoice),
  page('short invoice, 48 px, JPEG', 'eng', shortInvoice, { file: 'jpeg' }),
  page('slide, plain', 'eng', () => slide('eng', 'plain')),
  page('slide, dark', 'deu', () => slide('deu', 'dark')),
  page('slide, title on a bar', 'fra', () => slide('fra', 'bar')),
  page('slide, underlined title', 'spa', () => slide('spa', 'underlined', 'serif')),
  page('slide, PDF at 72 dpi', 'eng', () => slide('eng', 'plain', 'sans'), { pdfDpi: 72 }),
  page('slide, PDF at 100 dpi', 'nld', () => slide('nld', 'bar'), { pdfDpi: 100 }),
  page('slide, PDF at 150 dpi', 'ita', () => slide('ita', 'underlined'), { pdfDpi: 150 }),
  page('slide, PDF at 200 dpi', 'eng', () => slide('eng', 'dark', 'serif'), { pdfDpi: 200, file: 'png' }),
  page('headings, 8 to 96 px, sans', 'eng', () => headings('eng', 'sans')),
  page('headings, 8 to 96 px, bold', 'deu', () => headings('deu', 'bold')),
  page('headings, 8 to 96 px, serif', 'fra', () => headings('fra', 'serif')),
  page('headings, 8 to 96 px, mono', 'nld', () => headings('nld', 'mono')),
  page('one size, 8 px', 'eng', () => oneSize('eng', 8, 'sans')),
  page('one size, 10 px', 'spa', () => oneSize('spa', 10, 'serif')),
  page('one size, 12 px', 'deu', () => oneSize('deu', 12, 'sans')),
  page('one size, 16 px', 'ita', () => oneSize('ita', 16, 'serif')),
  page('one size, 24 px', 'nld', () => oneSize('nld', 24, 'mono')),
  page('one size, 64 px', 'fra', () => oneSize('fra', 64, 'bold')),
  page('one size, 96 px', 'eng', () => oneSize('eng', 96, 'sans')),
  page('letter, 72 dpi', 'eng', () => letter('eng', 'sans'), { dpi: 72 }),
  page('letter, 96 dpi', 'deu', () => letter('deu', 'serif'), { dpi: 96 }),
  page('letter, 100 dpi', 'fra', () => letter('fra', 'sans'), { dpi: 100 }),
  page('letter, 150 dpi', 'spa', () => letter('spa'), { dpi: 150 }),
  page('letter, 200 dpi', 'ita', () => letter('ita', 'italic'), { dpi: 200 }),
  page('letter, 300 dpi', 'nld', () => letter('nld'), { dpi: 300 }),
  page('letter, PDF at 150 dpi', 'eng', () => letter('eng', 'serif'), { dpi: 150, pdfDpi: 150 }),
  page('letter, dust, 200 dpi', 'eng', () => letter('eng', 'sans'), { dpi: 200, damage: dusty(0.004, 5) }),
  page('two columns, 100 dpi', 'fra', () => twoColumns('fra'), { dpi: 100 }),
  page('two columns, 150 dpi', 'eng', () => twoColumns('eng'), { dpi: 150 }),
  page('two columns, 200 dpi', 'deu', () => twoColumns('deu', 'sans'), { dpi: 200 }),
  page('two columns with a line, 150 dpi', 'spa', () => twoColumns('spa', 'serif', true), { dpi: 150 }),
  page('two columns, PDF at 200 dpi', 'nld', () => twoColumns('nld'), { dpi: 200, pdfDpi: 200 }),
  page('invoice, grid, 100 dpi', 'fra', () => invoice('fra', 'grid'), { dpi: 100 }),
  page('invoice, grid, 150 dpi', 'eng', () => invoice('eng', 'grid'), { dpi: 150 }),
  page('invoice, rows, 200 dpi', 'deu', () => invoice('deu', 'rows', 'serif'), { dpi: 200 }),
  page('invoice, bands, 150 dpi', 'ita', () => invoice('ita', 'bands'), { dpi: 150 }),
  page('invoice, PDF at 200 dpi', 'spa', () => invoice('spa', 'grid'), { dpi: 200, pdfDpi: 200 }),
  page('invoice, rows, 300 dpi', 'nld', () => invoice('nld', 'rows', 'mono'), { dpi: 300 }),
  page('table, grid, 120 dpi', 'eng', () => table('eng', 'grid'), { dpi: 120 }),
  page('table, grid, 200 dpi', 'deu', () => table('deu', 'grid', 'serif'), { dpi: 200 }),
  page('table, rows, 150 dpi', 'fra', () => table('fra', 'rows'), { dpi: 150 }),
  page('table, bands, 150 dpi', 'spa', () => table('spa', 'bands'), { dpi: 150 }),
  page('form, lines, 150 dpi', 'eng', () => form('eng', 'lines'), { dpi: 150 }),
  page('form, boxes, 150 dpi', 'deu', () => form('deu', 'boxes'), { dpi: 150 }),
  page('form, boxes, 200 dpi', 'ita', () => form('ita', 'boxes', 'serif'), { dpi: 200 }),
  page('form, lines, PDF at 150 dpi', 'nld', () => form('nld', 'lines'), { dpi: 150, pdfDpi: 150 }),
  page('receipt, 150 dpi', 'eng', () => receipt('eng'), { dpi: 150 }),
  page('receipt, 200 dpi', 'deu', () => receipt('deu'), { dpi: 200 }),
  page('receipt, grain, 200 dpi', 'nld', () => receipt('nld'), { dpi: 200, damage: grainy(40, 3) }),
  page('turned by 90, letter', 'eng', () => letter('eng'), { dpi: 150, damage: turned(90) }),
  page('turned by 270, letter', 'fra', () => letter('fra', 'sans'), { dpi: 150, damage: turned(270) }),
  page('turned by 180, letter', 'deu', () => letter('deu'), { dpi: 150, damage: turned(180) }),
  page('turned by 180, slide', 'eng', () => slide('eng', 'plain'), { damage: turned(180) }),
  page('turned by 90, invoice', 'ita', () => invoice('ita', 'grid'), { dpi: 150, damage: turned(90) }),
  page('turned by 180, PDF', 'nld', () => letter('nld'), { dpi: 150, damage: turned(180), pdfDpi: 150 }),
  page('askew by 2, letter', 'spa', () => letter('spa'), { dpi: 150, damage: turned(2) }),
  page('askew by -4, letter', 'eng', () => letter('eng', 'sans'), { dpi: 150, damage: turned(-4) }),
  page('askew by 3, invoice', 'deu', () => invoice('deu', 'grid'), { dpi: 150, damage: turned(3) }),
  page('askew by 6, columns', 'ita', () => twoColumns('ita'), { dpi: 150, damage: turned(6) }),
  page('askew by -1, slide', 'nld', () => slide('nld', 'plain'), { damage: turned(-1) }),
  page('low contrast, grey on grey', 'eng', () => letter('eng'), { dpi: 150, damage: faded(150, 185) }),
  page('low contrast, pale ink', 'fra', () => invoice('fra', 'rows'), { dpi: 150, damage: faded(205, 250) }),
  page('low contrast, grain', 'deu', () => letter('deu', 'sans'), {
    dpi: 150,
    damage: async (picture) => grainy(26, 11)(await faded(150, 205)(picture)),
  }),
  page('low contrast, receipt', 'spa', () => receipt('spa'), {
    dpi: 200,
    damage: async (picture) => grainy(22, 4)(await faded(165, 225)(picture)),
  }),
  page('photograph, letter', 'eng', () => letter('eng'), { dpi: 150, file: 'jpeg', damage: photographed({ seed: 2 }) }),
  page('photograph, poor light', 'deu', () => letter('deu', 'sans'), {
    dpi: 150,
    file: 'jpeg',
    damage: photographed({ seed: 9, light: 0.2 }),
  }),
  page('photograph, shadow', 'fra', () => letter('fra'), {
    dpi: 150,
    file: 'jpeg',
    damage: photographed({ seed: 21, light: 0.5, hasShadow: true }),
  }),
  page('photograph, invoice', 'spa', () => invoice('spa', 'grid'), {
    dpi: 150,
    file: 'jpeg',
    damage: photographed({ seed: 33, tilt: 0.03 }),
  }),
  page('photograph, receipt', 'ita', () => receipt('ita'), {
    dpi: 200,
    file: 'jpeg',
    damage: photographed({ seed: 40, light: 0.35, blur: 1 }),
  }),
  page('photograph, small letters', 'nld', () => letter('nld', 'serif', 9), {
    dpi: 120,
    file: 'jpeg',
    damage: photographed({ seed: 51, grain: 20 }),
  }),
  page('photograph, on its side', 'eng', () => letter('eng', 'sans'), {
    dpi: 150,
    file: 'jpeg',
    damage: async (picture) => turned(90)(await photographed({ seed: 60 })(picture)),
  }),
];

/** For every run of the tests: small, and each was once read as noise. */
export const SHORT_PAGES: Page[] = [
  page('short invoice, 48 px', 'eng', shortInvoice),
  page('slide, PDF at 300 dpi', 'eng', () => slide('eng', 'plain'), { pdfDpi: 300 }),
  page('turned by 180, short invoice', 'eng', shortInvoice, { damage: turned(180) }),
];
