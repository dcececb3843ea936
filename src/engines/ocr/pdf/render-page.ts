import type { Bitmap } from '../scan/bitmap.ts';
import type { PdfPage } from './pdf-page.ts';

const BGRA = 4;
const WHITE = 0xffffffff;
/** With annotations, and red before blue. */
const FLAGS = 0x01 | 0x10;

/** The page as it is shown, so many times as large as its pixels. */
export function renderPage({ pdfium, page, width, height, turns }: PdfPage, factor = 1): Bitmap {
  const [wide, high] = [Math.round(width * factor), Math.round(height * factor)];
  const bytes = wide * high * 4;
  const pointer = pdfium.wasmExports.malloc(bytes);
  if (pointer === 0) throw new Error('There is no room for the picture of a page.');
  try {
    const bitmap = pdfium._FPDFBitmap_CreateEx(wide, high, BGRA, pointer, wide * 4);
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, wide, high, WHITE);
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, wide, high, turns, FLAGS);
    pdfium._FPDFBitmap_Destroy(bitmap);
    const data = Buffer.from(pdfium.HEAPU8.subarray(pointer, pointer + bytes));
    return { data, width: wide, height: high, channels: 4 };
  } finally {
    pdfium.wasmExports.free(pointer);
  }
}
