import type { PageContent } from './layout/elements.ts';
import type { Box } from './layout/geometry.ts';
import type { Pdfium } from './pdf/pdfium.ts';
import type { Recognizer } from './scan/recognizer.ts';

export type OpenedPage = {
  content: PageContent;
  dpi: number;
  links: string[];
  cut(box: Box): Promise<Buffer>;
};

/** A document of any type, page by page. */
export type OpenedDocument = {
  pageCount: number;
  read(index: number): Promise<OpenedPage>;
  /** The text layer of a page, where it has one, to compare pages. Never recognizes anything. */
  glance(index: number): PageContent | undefined;
  close(): void;
};

export type Tools = {
  pdfium: () => Promise<Pdfium>;
  recognizer: () => Promise<Recognizer>;
  /** Of a picture that is sent. */
  pixelsMax: number;
};
