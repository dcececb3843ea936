import type { OcrPage, OcrRequest } from './ocr-engine.ts';
import type { Counters } from './render/compose-page.ts';

export type OcrSettings = {
  /** The trained models of the languages, each named after its language. */
  languageFiles: string[];
  pagesMax: number;
  pixelsMax: number;
  /** Of PDFium alone. */
  pdfMemoryMib: number;
};

/** Reads some pages of a document: after `sliceMs` it stops behind a page, and is asked to go on. */
export type SliceRequest = Omit<OcrRequest, 'tenant' | 'document'> & {
  /** Names the document, which stays open for the next slice. */
  id: string;
  /** Left out for the next slice by the same child. */
  document?: Uint8Array;
  sliceMs: number;
  counters: Counters;
};

/** First what will be read, then pages; after a page that is not the last, the numbers to go on with. */
export type OcrPart = { pageCount: number; pages: number[] } | OcrPage | { counters: Counters };
