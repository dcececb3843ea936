import type { Affine } from './affine.ts';
import type { Pdfium, Scratch } from './pdfium.ts';

export type PdfPage = {
  pdfium: Pdfium;
  scratch: Scratch;
  page: number;
  width: number;
  height: number;
  dpi: number;
  /** Quarter turns, clockwise, after which most of its text stands upright. */
  turns: number;
  /** From the page's own coordinates to pixels. */
  toPixels: Affine;
  /** Of a picture on it. */
  pixelsMax: number;
  /** Addresses that it links to. */
  links: string[];
  close(): void;
};
