import { Refusal } from '../../process/protocol.ts';
import { type Affine, after } from './affine.ts';
import { findTurns } from './find-turns.ts';
import type { PdfPage } from './pdf-page.ts';
import { makeScratch, type Pdfium, type Scratch } from './pdfium.ts';
import { readLinks } from './read-links.ts';

const PASSWORD_ERROR = 4;
const SECURITY_ERROR = 5;
const POINTS_PER_INCH = 72;
const DPI = 200;
const FLATTENED = 1;
/** A page of a poster is read at fewer dots per inch, so that it fits. */
const PIXELS_MAX = 24_000_000;
/** Positions on a page come as whole numbers; on a page of this size they are exact enough. */
const FINE = 1_000_000;

export type Pdf = { pageCount: number; open(index: number): PdfPage; close(): void };

/** The bytes stay where the library reads them, until it is closed. */
export function openPdf(pdfium: Pdfium, bytes: Uint8Array, pixelsMax: number): Pdf {
  const pointer = pdfium.wasmExports.malloc(bytes.length);
  if (pointer === 0)
    throw new Refusal('document_too_large', 'The document does not fit into the memory for documents.');
  pdfium.HEAPU8.set(bytes, pointer);
  const document = pdfium._FPDF_LoadMemDocument(pointer, bytes.length, 0);
  if (!document) {
    const error = pdfium._FPDF_GetLastError();
    pdfium.wasmExports.free(pointer);
    throw error === PASSWORD_ERROR || error === SECURITY_ERROR
      ? new Refusal('document_encrypted', 'The PDF is encrypted. Send it without a password.')
      : new Refusal('document_damaged', 'The PDF cannot be read: it is damaged, or not complete.');
  }
  const scratch = makeScratch(pdfium);
  return {
    pageCount: pdfium._FPDF_GetPageCount(document),
    open: (index) => ({ ...openPage(pdfium, scratch, document, index), pixelsMax }),
    close() {
      pdfium._FPDF_CloseDocument(document);
      pdfium.wasmExports.free(pointer);
      pdfium.wasmExports.free(scratch.pointer);
    },
  };
}

function openPage(pdfium: Pdfium, scratch: Scratch, document: number, index: number): Omit<PdfPage, 'pixelsMax'> {
  const load = () => {
    const page = pdfium._FPDF_LoadPage(document, index);
    if (page) return page;
    throw new Refusal('document_damaged', `Page ${index} of the PDF cannot be read: the file is damaged.`);
  };
  let page = load();
  const links = readLinks({ pdfium, scratch, page }, document);
  // What was filled into a form is text only after it has become part of the page.
  if (pdfium._FPDFPage_GetAnnotCount(page) > 0 && pdfium._FPDFPage_Flatten(page, 0) === FLATTENED) {
    pdfium._FPDF_ClosePage(page);
    page = load();
  }
  const [wide, high] = [pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page)];
  if (!(wide > 0 && high > 0)) throw new Refusal('document_damaged', `Page ${index} of the PDF has no size.`);
  const pixels = (wide * high * DPI * DPI) / POINTS_PER_INCH ** 2;
  const dpi = Math.max(1, Math.floor(DPI * Math.min(1, Math.sqrt(PIXELS_MAX / pixels))));
  const [width, height] = [wide, high].map((points) => Math.max(1, Math.round((points * dpi) / POINTS_PER_INCH))) as [
    number,
    number,
  ];
  const shown = affineOf(pdfium, scratch, page, width, height);
  const turns = findTurns(pdfium, page, shown);
  const [uprightWidth, uprightHeight] = turns % 2 === 0 ? [width, height] : [height, width];
  return {
    pdfium,
    scratch,
    page,
    width: uprightWidth,
    height: uprightHeight,
    dpi,
    links,
    turns,
    toPixels: after(turnOf(turns, width, height), shown),
    close: () => void pdfium._FPDF_ClosePage(page),
  };
}

function turnOf(turns: number, width: number, height: number): Affine {
  switch (turns) {
    case 1:
      return [0, 1, -1, 0, height, 0];
    case 2:
      return [-1, 0, 0, -1, width, height];
    case 3:
      return [0, -1, 1, 0, 0, width];
    default:
      return [1, 0, 0, 1, 0, 0];
  }
}

/** Turned pages and pages that show a part of their sheet included. */
function affineOf(pdfium: Pdfium, scratch: Scratch, page: number, width: number, height: number): Affine {
  const at = (deviceX: number, deviceY: number): [number, number] => {
    pdfium._FPDF_DeviceToPage(page, 0, 0, FINE, FINE, 0, deviceX, deviceY, scratch.pointer, scratch.pointer + 8);
    return [scratch.double(0), scratch.double(8)];
  };
  const [x0, y0] = at(0, 0);
  const [x1, y1] = at(FINE, 0);
  const [x2, y2] = at(0, FINE);
  // From pixels to the page, and that the other way round.
  const [a, b, c, d] = [(x1 - x0) / width, (y1 - y0) / width, (x2 - x0) / height, (y2 - y0) / height];
  const det = a * d - b * c;
  const [A, B, C, D] = [d / det, -b / det, -c / det, a / det];
  return [A, B, C, D, -(A * x0 + C * y0), -(B * x0 + D * y0)];
}
