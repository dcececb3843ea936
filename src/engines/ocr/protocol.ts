import type { OcrPage, OcrRequest } from './ocr-engine.ts';

/** What a reading process is told at its start. */
export type ReaderSettings = {
  /** The trained models of the languages, each named after its language. */
  languageFiles: string[];
  pagesMax: number;
  pixelsMax: number;
  /** Of PDFium alone. */
  pdfMemoryMib: number;
};

/** What the server and a reading process say to each other. A process has one document at a time. */
export type ToReader = { kind: 'read'; request: OcrRequest } | { kind: 'cancel' };

export type FromReader =
  | { kind: 'opened'; selected: number; pageCount: number }
  | { kind: 'page'; page: OcrPage }
  | { kind: 'done' }
  /** The document's fault; the process goes on. */
  | { kind: 'refused'; code: string; message: string }
  /** Ours, or that of a library; the process ends itself after this. */
  | { kind: 'broken'; reason: string };
