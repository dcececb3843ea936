import type { OcrPage } from './ocr-engine.ts';

export type OcrSettings = {
  /** The trained models of the languages, each named after its language. */
  languageFiles: string[];
  pagesMax: number;
  pixelsMax: number;
  /** Of PDFium alone. */
  pdfMemoryMib: number;
};

/** The size of the document comes first, then the pages. */
export type OcrPart = { pageCount: number } | OcrPage;
